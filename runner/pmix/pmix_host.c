/*
 * The only file that includes libpmix. See pmix_host.h.
 *
 * The functions on_* are called by a thread of libpmix, and must not wait: they write a
 * line to the run. The main thread reads the answers and hands them to libpmix. A lock
 * protects what both use.
 */
#include "runner/pmix/pmix_host.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pmix.h>
#include <pmix_server.h>

#include <cjson/cJSON.h>

#include "runner/base/files.h"
#include "runner/base/json_line.h"
#include "runner/base/library.h"
#include "runner/pmix/pmix_lines.h"
#include "runner/pmix/pmix_terms.h"

#define FUNCTIONS(X)                                                                     \
	X(PMIx_Error_string)                                                             \
	X(PMIx_Info_load)                                                                \
	X(PMIx_Notify_event)                                                             \
	X(PMIx_Value_destruct)                                                           \
	X(PMIx_generate_ppn)                                                             \
	X(PMIx_generate_regex)                                                           \
	X(PMIx_server_deregister_nspace)                                                 \
	X(PMIx_server_init)                                                              \
	X(PMIx_server_register_client)                                                   \
	X(PMIx_server_register_nspace)                                                   \
	X(PMIx_server_setup_fork)
CCTR_LIBRARY(CCTR_PMIX_LIBRARY, "suggested", "leases through PMIx", FUNCTIONS)

/* libpmix uses few when it has begun. */
enum { LISTS_DEEP = 4, RANKS_MOST = 1 << 16, DESCRIPTORS_MOST = 256 };

/* An id that a client has given: which lease it means. */
struct known_id {
	struct str user, lease;
};
/* One attempt of a test: a namespace. */
struct space {
	struct arena *arena;
	pmix_nspace_t name;
	VEC(struct known_id) ids;
	struct space *next;
};
/* Several questions of a client, which are answered together. */
struct inquiry {
	struct arena *arena;
	struct attribute_vec found;
	size_t left; /* questions without an answer, and 1 until all are asked */
	pmix_info_cbfunc_t call;
	void *context;
};
/* What the run was asked. */
struct question {
	struct arena *arena;
	uint64_t number;
	pmix_nspace_t space;
	struct pmix_request request;
	struct inquiry *inquiry; /* NULL: it is a request */
	pmix_info_cbfunc_t call; /* of a request */
	void *context;
	struct question *next;
};
struct host {
	struct library pmix;
	pmix_server_module_t module;
	pthread_mutex_t lock;
	pthread_cond_t is_done;
	int commands, questions; /* descriptors */
	struct space *spaces;
	struct question *asked;
	uint64_t asked_n;
	/* Of the operation that the main thread waits for. */
	bool has_status;
	pmix_status_t status;
};

/* The calls of libpmix for requests have no context of ours. */
static struct host *own;

const char *
pmix_host_lacks(void)
{
	return NULL;
}

static pmix_status_t
status_of(enum pmix_result r)
{
	static const pmix_status_t statuses[PMIX_RESULTS] = {
		[PMIX_RESULT_GRANTED] = PMIX_SUCCESS,
		[PMIX_RESULT_PARTIAL] = PMIX_ERR_PARTIAL_SUCCESS,
		[PMIX_RESULT_NO_ROOM] = PMIX_ERR_OUT_OF_RESOURCE,
		[PMIX_RESULT_NO_LEASE] = PMIX_ERR_NOT_FOUND,
		[PMIX_RESULT_WRONG] = PMIX_ERR_BAD_PARAM,
		[PMIX_RESULT_UNKNOWN] = PMIX_ERR_NOT_SUPPORTED,
		[PMIX_RESULT_CANCELED] = PMIX_ERR_JOB_CANCELED,
		[PMIX_RESULT_NO_RUN] = PMIX_ERR_UNREACH,
	};

	return statuses[r];
}

/* ---- attributes from libpmix ----------------------------------------------------- */

static void read_list(struct arena *a, const pmix_data_array_t *from,
	struct attribute *to, unsigned deep);

static bool
read_number(const pmix_value_t *v, double *to)
{
	switch (v->type) {
	case PMIX_SIZE:
		*to = (double)v->data.size;
		return true;
	case PMIX_INT:
		*to = v->data.integer;
		return true;
	case PMIX_INT32:
		*to = v->data.int32;
		return true;
	case PMIX_INT64:
		*to = (double)v->data.int64;
		return true;
	case PMIX_UINT:
		*to = v->data.uint;
		return true;
	case PMIX_UINT16:
		*to = v->data.uint16;
		return true;
	case PMIX_UINT32:
		*to = v->data.uint32;
		return true;
	case PMIX_UINT64:
		*to = (double)v->data.uint64;
		return true;
	case PMIX_FLOAT:
		*to = (double)v->data.fval;
		return true;
	case PMIX_DOUBLE:
		*to = v->data.dval;
		return true;
	default:
		return false;
	}
}

static void
read_info(struct arena *a, const pmix_info_t *from, struct attribute *to, unsigned deep)
{
	const pmix_value_t *v = &from->value;

	*to = (struct attribute){
		.key = str_dup(
			a, str_cut(from->key, strnlen(from->key, PMIX_MAX_KEYLEN))),
		.is_required = (from->flags & PMIX_INFO_REQD) != 0,
		.text = STR("")};
	if (read_number(v, &to->number)) {
		to->kind = ATTRIBUTE_NUMBER;
	} else if (v->type == PMIX_STRING && v->data.string) {
		to->kind = ATTRIBUTE_TEXT;
		to->text = str_dup(a, str_of(v->data.string));
	} else if (v->type == PMIX_BOOL) {
		to->kind = ATTRIBUTE_FLAG;
		to->flag = v->data.flag;
	} else if (v->type == PMIX_DATA_ARRAY && v->data.darray) {
		read_list(a, v->data.darray, to, deep + 1);
	}
}

static struct attribute *
read_infos(struct arena *a, const pmix_info_t *v, size_t n, unsigned deep)
{
	struct attribute *to = NEW_ARRAY(a, struct attribute, n);

	for (size_t i = 0; i < n; i++)
		read_info(a, &v[i], &to[i], deep);
	return to;
}

static void
read_list(struct arena *a, const pmix_data_array_t *from, struct attribute *to,
	unsigned deep)
{
	if (from->type != PMIX_INFO || deep > LISTS_DEEP)
		return;
	to->kind = ATTRIBUTE_LIST;
	to->v = read_infos(a, from->array, from->size, deep);
	to->n = from->size;
}

/* ---- attributes for libpmix ------------------------------------------------------ */

static pmix_info_t *write_infos(struct arena *a, const struct attribute *v, size_t n);

static void
write_value(struct arena *a, const struct attribute *from, pmix_value_t *v)
{
	switch (from->kind) {
	case ATTRIBUTE_NUMBER:
		v->type = PMIX_UINT64;
		v->data.uint64 = (uint64_t)from->number;
		return;
	case ATTRIBUTE_REAL:
		v->type = PMIX_FLOAT;
		v->data.fval = (float)from->number;
		return;
	case ATTRIBUTE_LIST:
		v->type = PMIX_DATA_ARRAY;
		v->data.darray = NEW(a, pmix_data_array_t);
		v->data.darray->type = PMIX_INFO;
		v->data.darray->size = from->n;
		v->data.darray->array = write_infos(a, from->v, from->n);
		return;
	case ATTRIBUTE_TEXT:
	case ATTRIBUTE_FLAG:
	case ATTRIBUTE_OTHER:
		break;
	}
	v->type = PMIX_STRING;
	v->data.string = str_own(str_dup(a, from->text));
}

/* All of it is in the arena: libpmix copies what it needs. */
static pmix_info_t *
write_infos(struct arena *a, const struct attribute *v, size_t n)
{
	pmix_info_t *to = NEW_ARRAY(a, pmix_info_t, n);

	for (size_t i = 0; i < n; i++) {
		size_t most = PMIX_MAX_KEYLEN;

		memcpy(to[i].key, v[i].key.p, v[i].key.n < most ? v[i].key.n : most);
		write_value(a, &v[i], &to[i].value);
	}
	if (n)
		to[n - 1].flags = PMIX_INFO_ARRAY_END;
	return to;
}

static void
close_context(void *context)
{
	arena_close(context);
}

static void
close_after_event(pmix_status_t status, void *context)
{
	(void)status;
	arena_close(context);
}

/* ---- namespaces ------------------------------------------------------------------ */

static struct space *
find_space(struct host *h, const char *name)
{
	struct space *s = h->spaces;

	while (s && strcmp(s->name, name) != 0)
		s = s->next;
	return s;
}

/* NULL: the client has not given that id. */
static const struct known_id *
find_id(const struct space *s, struct str user)
{
	for (size_t i = 0; i < s->ids.n; i++)
		if (str_eq(s->ids.v[i].user, user))
			return &s->ids.v[i];
	return NULL;
}

static void
note_id(struct space *s, struct str user, struct str lease)
{
	for (size_t i = 0; i < s->ids.n; i++)
		if (str_eq(s->ids.v[i].user, user)) {
			s->ids.v[i].lease = str_dup(s->arena, lease);
			return;
		}
	VEC_PUSH(s->arena, &s->ids,
		(struct known_id){str_dup(s->arena, user), str_dup(s->arena, lease)});
}

/* The ids that the run gives to clients are NAMESPACE:LEASE, so that no two are the same.
 * The lease of such an id; another id is returned as it is. */
static struct str
lease_of(struct str id, struct str *space)
{
	size_t at = str_rfind(id, ':');

	*space = STR_NONE;
	if (at == id.n)
		return id;
	*space = str_cut(id.p, at);
	return str_from(id, at + 1);
}

/* ---- questions to the run -------------------------------------------------------- */

static struct question *
new_question(const char *space)
{
	struct arena *a = arena_open();
	struct question *q = NEW(a, struct question);

	q->arena = a;
	memcpy(q->space, space, strnlen(space, PMIX_MAX_NSLEN));
	return q;
}

/* With the lock. false: the run has ended. */
static bool
ask_run(struct host *h, struct question *q)
{
	struct buf request = {.arena = q->arena};
	struct str line;

	q->number = ++h->asked_n;
	control_write(&request, &q->request.q);
	line = str_fmt(q->arena, "%llu %s %.*s", (unsigned long long)q->number, q->space,
		STR_ARG(buf_as_str(&request)));
	if (!file_put(h->questions, line))
		return false;
	q->next = h->asked;
	h->asked = q;
	return true;
}

static struct question *
take_question(struct host *h, uint64_t number)
{
	struct question **at = &h->asked, *q;

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	q = *at;
	if (q)
		*at = q->next;
	return q;
}

/* ---- requests -------------------------------------------------------------------- */

/* Which lease the ids mean. */
static void
choose_lease(const struct space *s, struct pmix_request *r)
{
	const struct known_id *known = r->user_id.p ? find_id(s, r->user_id) : NULL;
	struct str space, id = r->lease_id.p ? lease_of(r->lease_id, &space) : r->user_id;

	/* The id of a request alone: the lease that was asked for by it. */
	if (!r->lease_id.p && known)
		id = known->lease;
	else if (!r->lease_id.p && r->q.verb == CONTROL_ALLOC_EXTEND)
		id = STR_NONE;
	if (r->q.verb == CONTROL_ALLOC_NEW && r->user_id.p)
		id = r->user_id;
	r->q.id = id;
}

/* false: the id names a lease of another namespace. */
static bool
is_own_id(const struct space *s, const struct pmix_request *r)
{
	struct str space = STR_NONE;

	if (r->lease_id.p)
		(void)lease_of(r->lease_id, &space);
	return !space.p || str_is(space, s->name);
}

static pmix_status_t
begin_request(struct host *h, struct question *q, unsigned directive,
	const struct attribute *v, size_t n)
{
	enum pmix_result r = pmix_request_read(q->arena, directive, v, n, &q->request);
	struct space *s = find_space(h, q->space);

	if (r != PMIX_RESULT_GRANTED)
		return status_of(r);
	if (!s || !is_own_id(s, &q->request))
		return PMIX_ERR_NOT_FOUND;
	choose_lease(s, &q->request);
	return ask_run(h, q) ? PMIX_SUCCESS : PMIX_ERR_UNREACH;
}

static pmix_status_t
on_allocate(const pmix_proc_t *client, pmix_alloc_directive_t directive,
	const pmix_info_t v[], size_t n, pmix_info_cbfunc_t call, void *context)
{
	struct host *h = own;
	struct question *q = new_question(client->nspace);
	const struct attribute *attributes = read_infos(q->arena, v, n, 0);
	pmix_status_t status;

	q->call = call;
	q->context = context;
	pthread_mutex_lock(&h->lock);
	status = begin_request(h, q, directive, attributes, n);
	if (status != PMIX_SUCCESS)
		arena_close(q->arena);
	pthread_mutex_unlock(&h->lock);
	return status;
}

/* What a client gets, after room for so many others. The ids come first. */
static pmix_info_t *
write_answer(struct arena *a, const struct question *q, const struct pmix_answer *answer,
	size_t before, size_t *n)
{
	struct attribute_vec all = {NULL, 0, 0};

	for (size_t i = 0; i < before; i++)
		VEC_PUSH(a, &all, (struct attribute){.key = STR(""), .text = STR("")});
	if (answer->id.p)
		VEC_PUSH(a, &all,
			(struct attribute){.key = STR(KEY_LEASE_ID),
				.kind = ATTRIBUTE_TEXT,
				.text = str_fmt(
					a, "%s:%.*s", q->space, STR_ARG(answer->id))});
	if (q->request.user_id.p)
		VEC_PUSH(a, &all,
			(struct attribute){.key = STR(KEY_REQUEST_ID),
				.kind = ATTRIBUTE_TEXT,
				.text = q->request.user_id});
	for (size_t i = 0; i < answer->attributes.n; i++)
		VEC_PUSH(a, &all, answer->attributes.v[i]);
	*n = all.n;
	return write_infos(a, all.v, all.n);
}

/* To all programs of the namespace. With all that was answered: where a request is not
 * granted as a whole, libpmix gives the client the status alone. */
static void
notify_end(struct host *h, const struct question *q, const struct pmix_answer *answer)
{
	struct arena *a = arena_open();
	pmix_proc_t from = {.rank = 0}, *to = NEW(a, pmix_proc_t);
	size_t n;
	pmix_info_t *infos = write_answer(a, q, answer, 1, &n);

	memcpy(infos->key, PMIX_EVENT_CUSTOM_RANGE, sizeof PMIX_EVENT_CUSTOM_RANGE);
	memcpy(to->nspace, q->space, sizeof to->nspace);
	to->rank = PMIX_RANK_WILDCARD;
	infos->value.type = PMIX_PROC;
	infos->value.data.proc = to;
	memcpy(from.nspace, "cctr", sizeof "cctr");
	if (h->pmix.PMIx_Notify_event(PMIX_NOTIFY_ALLOC_COMPLETE, &from,
		    PMIX_RANGE_CUSTOM, infos, n, close_after_event, a) != PMIX_SUCCESS)
		arena_close(a);
}

static bool
has_event(enum control_verb verb)
{
	return verb == CONTROL_ALLOC_NEW || verb == CONTROL_ALLOC_EXTEND ||
	       verb == CONTROL_ALLOC_REACQUIRE;
}

/* Without the lock. The arena of the question is closed by libpmix, when it has written
 * the answer. */
static void
end_request(struct host *h, struct question *q, const struct pmix_answer *answer)
{
	size_t n;
	pmix_info_t *infos = write_answer(q->arena, q, answer, 0, &n);

	if (has_event(q->request.q.verb))
		notify_end(h, q, answer);
	q->call(status_of(answer->result), infos, n, q->context, close_context, q->arena);
}

/* With the lock: which lease the id of the request means from now on. */
static void
remember_id(struct host *h, const struct question *q, const struct pmix_answer *answer)
{
	struct space *s = find_space(h, q->space);
	const struct pmix_request *r = &q->request;
	struct str user = r->user_id.p ? r->user_id : r->lease_id;

	if (s && user.p && answer->id.p && has_event(r->q.verb))
		note_id(s, user, answer->id);
}

/* ---- inquiries ------------------------------------------------------------------- */

/* What the qualifiers say. */
struct qualifiers {
	struct str user_id, lease_id, space;
};

static struct qualifiers
read_qualifiers(struct arena *a, const pmix_query_t *from)
{
	const struct attribute *v = read_infos(a, from->qualifiers, from->nqual, 0);
	struct qualifiers to = {STR_NONE, STR_NONE, STR_NONE};

	for (size_t i = 0; i < from->nqual; i++) {
		if (v[i].kind != ATTRIBUTE_TEXT)
			continue;
		if (str_is(v[i].key, KEY_REQUEST_ID))
			to.user_id = v[i].text;
		else if (str_is(v[i].key, KEY_LEASE_ID))
			to.lease_id = v[i].text;
		else if (str_is(v[i].key, PMIX_NSPACE))
			to.space = v[i].text;
	}
	return to;
}

/* libpmix 4 does not say which client asks: a qualifier does, or the id. NULL: no
 * namespace has that id, or several have. */
static struct space *
choose_space(struct host *h, const pmix_proc_t *client, struct arena *a,
	const struct qualifiers *q)
{
	struct space *found = find_space(h, client->nspace);
	struct str name = STR_NONE;

	if (q->lease_id.p)
		(void)lease_of(q->lease_id, &name);
	if (q->space.p)
		name = q->space;
	if (found || name.p)
		return found ? found : find_space(h, str_z(a, name));
	if (!q->user_id.p && !q->lease_id.p)
		return h->spaces && !h->spaces->next ? h->spaces : NULL;
	for (struct space *s = h->spaces; s; s = s->next) {
		if (!find_id(s, q->user_id.p ? q->user_id : q->lease_id))
			continue;
		if (found)
			return NULL;
		found = s;
	}
	return found;
}

/* The id of the lease; STR_NONE: all of them. */
static struct str
lease_asked(const struct space *s, const struct qualifiers *q)
{
	struct str given = q->user_id.p ? q->user_id : q->lease_id, space;
	const struct known_id *known = given.p ? find_id(s, given) : NULL;

	if (known || !given.p)
		return known ? known->lease : STR_NONE;
	return q->user_id.p ? given : lease_of(given, &space);
}

static void
add_found(struct inquiry *i, const char *key, struct str text)
{
	VEC_PUSH(i->arena, &i->found,
		(struct attribute){.key = str_of(key),
			.kind = ATTRIBUTE_TEXT,
			.text = str_dup(i->arena, text)});
}

/* With the lock. */
static void
ask_status(struct host *h, const pmix_proc_t *client, struct inquiry *i,
	const pmix_query_t *from)
{
	struct qualifiers q = read_qualifiers(i->arena, from);
	struct space *s = choose_space(h, client, i->arena, &q);
	struct question *to;
	struct str id;

	if (!s) {
		add_found(i, KEY_STATUS, STR("unknown"));
		return;
	}
	to = new_question(s->name);
	to->inquiry = i;
	id = lease_asked(s, &q);
	to->request.q = (struct control_request){.verb = CONTROL_ALLOC_QUERY,
		.id = id.p ? str_dup(to->arena, id) : STR_NONE};
	to->request.user_id = q.user_id.p ? str_dup(to->arena, q.user_id) : STR_NONE;
	if (ask_run(h, to)) {
		i->left++;
		return;
	}
	arena_close(to->arena);
	add_found(i, KEY_STATUS, STR("unknown"));
}

/* With the lock. */
static void
answer_inquiry(
	struct inquiry *i, const struct question *q, const struct pmix_answer *answer)
{
	bool is_one = q->request.q.id.p || !answer->all.n;

	for (size_t k = 0; k < answer->all.n && !is_one; k++) {
		add_found(i, KEY_LEASE_ID,
			str_fmt(i->arena, "%s:%.*s", q->space,
				STR_ARG(answer->all.v[k].key)));
		add_found(i, KEY_STATUS, answer->all.v[k].text);
	}
	if (is_one)
		add_found(i, KEY_STATUS, answer->id.p ? answer->status : STR("unknown"));
	if (q->request.user_id.p)
		add_found(i, KEY_REQUEST_ID, q->request.user_id);
}

/* Without the lock. */
static void
end_inquiry(struct inquiry *i)
{
	i->call(PMIX_SUCCESS, write_infos(i->arena, i->found.v, i->found.n), i->found.n,
		i->context, close_context, i->arena);
}

static bool
asks_status(const pmix_query_t *q)
{
	for (char **key = q->keys; key && *key; key++)
		if (strcmp(*key, PMIX_QUERY_ALLOC_STATUS) == 0)
			return true;
	return false;
}

static pmix_status_t
on_query(pmix_proc_t *client, pmix_query_t *queries, size_t n, pmix_info_cbfunc_t call,
	void *context)
{
	struct host *h = own;
	struct arena *a = arena_open();
	struct inquiry *i = NEW(a, struct inquiry);
	bool is_known = false, is_done;

	*i = (struct inquiry){.arena = a, .left = 1, .call = call, .context = context};
	pthread_mutex_lock(&h->lock);
	for (size_t k = 0; k < n; k++) {
		if (!asks_status(&queries[k]))
			continue;
		is_known = true;
		ask_status(h, client, i, &queries[k]);
	}
	is_done = --i->left == 0;
	pthread_mutex_unlock(&h->lock);
	if (!is_known) {
		arena_close(a);
		return PMIX_ERR_NOT_SUPPORTED;
	}
	if (is_done)
		end_inquiry(i);
	return PMIX_SUCCESS;
}

/* ---- answers of the run ---------------------------------------------------------- */

static void
take_answer(struct host *h, struct str line)
{
	struct str number = str_take(&line, ' ');
	struct pmix_answer answer;
	struct question *q;
	bool is_done = false;
	uint64_t n;

	if (!str_unsigned(number, UINT64_MAX, &n))
		return;
	pthread_mutex_lock(&h->lock);
	q = take_question(h, n);
	if (q) {
		pmix_answer_read(q->arena, line, &q->request, &answer);
		if (q->inquiry) {
			answer_inquiry(q->inquiry, q, &answer);
			is_done = --q->inquiry->left == 0;
		} else {
			remember_id(h, q, &answer);
		}
	}
	pthread_mutex_unlock(&h->lock);
	if (!q)
		return;
	if (!q->inquiry) {
		end_request(h, q, &answer);
		return;
	}
	if (is_done)
		end_inquiry(q->inquiry);
	arena_close(q->arena);
}

/* ---- the other calls of libpmix -------------------------------------------------- */

static pmix_status_t
on_connected(const pmix_proc_t *client, void *object, pmix_info_t *v, size_t n,
	pmix_op_cbfunc_t call, void *context)
{
	(void)client, (void)object, (void)v, (void)n, (void)call, (void)context;
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t
on_finalized(
	const pmix_proc_t *client, void *object, pmix_op_cbfunc_t call, void *context)
{
	(void)client, (void)object, (void)call, (void)context;
	return PMIX_OPERATION_SUCCEEDED;
}

/* The programs of a test end themselves. */
static pmix_status_t
on_abort(const pmix_proc_t *client, void *object, int status, const char text[],
	pmix_proc_t v[], size_t n, pmix_op_cbfunc_t call, void *context)
{
	(void)client, (void)object, (void)status, (void)text, (void)v, (void)n;
	(void)call, (void)context;
	return PMIX_OPERATION_SUCCEEDED;
}

/* All programs of a namespace are here. */
static pmix_status_t
on_fence(const pmix_proc_t v[], size_t n, const pmix_info_t info[], size_t info_n,
	char *data, size_t size, pmix_modex_cbfunc_t call, void *context)
{
	(void)v, (void)n, (void)info, (void)info_n;
	call(PMIX_SUCCESS, data, size, context, memory_free, data);
	return PMIX_SUCCESS;
}

static pmix_status_t
on_register(pmix_status_t *codes, size_t n, const pmix_info_t info[], size_t info_n,
	pmix_op_cbfunc_t call, void *context)
{
	(void)codes, (void)n, (void)info, (void)info_n, (void)call, (void)context;
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t
on_deregister(pmix_status_t *codes, size_t n, pmix_op_cbfunc_t call, void *context)
{
	(void)codes, (void)n, (void)call, (void)context;
	return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t
on_notify(pmix_status_t code, const pmix_proc_t *from, pmix_data_range_t range,
	pmix_info_t info[], size_t n, pmix_op_cbfunc_t call, void *context)
{
	(void)code, (void)from, (void)range, (void)info, (void)n;
	(void)call, (void)context;
	return PMIX_OPERATION_SUCCEEDED;
}

/* ---- commands of the run --------------------------------------------------------- */

static void
on_status(pmix_status_t status, void *context)
{
	struct host *h = context;

	pthread_mutex_lock(&h->lock);
	h->status = status;
	h->has_status = true;
	pthread_cond_signal(&h->is_done);
	pthread_mutex_unlock(&h->lock);
}

/* The end of an operation that libpmix has begun. */
static bool
await_status(struct host *h, pmix_status_t begun)
{
	if (begun != PMIX_SUCCESS)
		return begun == PMIX_OPERATION_SUCCEEDED;
	pthread_mutex_lock(&h->lock);
	while (!h->has_status)
		pthread_cond_wait(&h->is_done, &h->lock);
	h->has_status = false;
	begun = h->status;
	pthread_mutex_unlock(&h->lock);
	return begun == PMIX_SUCCESS || begun == PMIX_OPERATION_SUCCEEDED;
}

/* "0,1,2" */
static struct str
list_ranks(struct arena *a, unsigned ranks)
{
	struct buf b = {.arena = a};

	for (unsigned i = 0; i < ranks; i++)
		buf_fmt(&b, "%s%u", i ? "," : "", i);
	buf_char(&b, '\0');
	return (struct str){b.p, b.n - 1};
}

static bool
register_space(struct host *h, struct arena *a, const char *name, unsigned ranks)
{
	enum { INFOS = 7 };
	const struct library *l = &h->pmix;
	pmix_info_t v[INFOS] = {{.flags = 0}};
	char machine[HOST_NAME_MAX + 1] = "localhost", *nodes = NULL, *places = NULL;
	const char *list = list_ranks(a, ranks).p;
	uint32_t n = ranks;
	bool is_done;

	(void)gethostname(machine, sizeof machine - 1);
	if (l->PMIx_generate_regex(machine, &nodes) != PMIX_SUCCESS ||
		l->PMIx_generate_ppn(list, &places) != PMIX_SUCCESS)
		return false;
	l->PMIx_Info_load(&v[0], PMIX_UNIV_SIZE, &n, PMIX_UINT32);
	l->PMIx_Info_load(&v[1], PMIX_JOB_SIZE, &n, PMIX_UINT32);
	l->PMIx_Info_load(&v[2], PMIX_LOCAL_SIZE, &n, PMIX_UINT32);
	l->PMIx_Info_load(&v[3], PMIX_LOCAL_PEERS, list, PMIX_STRING);
	l->PMIx_Info_load(&v[4], PMIX_NODE_MAP, nodes, PMIX_REGEX);
	l->PMIx_Info_load(&v[5], PMIX_PROC_MAP, places, PMIX_REGEX);
	l->PMIx_Info_load(&v[6], PMIX_JOBID, name, PMIX_STRING);
	is_done = await_status(h,
		l->PMIx_server_register_nspace(name, (int)ranks, v, INFOS, on_status, h));
	for (size_t i = 0; i < INFOS; i++)
		l->PMIx_Value_destruct(&v[i].value);
	memory_free(nodes);
	memory_free(places);
	return is_done;
}

static bool
register_ranks(struct host *h, const char *name, unsigned ranks)
{
	bool are_done = true;

	for (unsigned i = 0; i < ranks && are_done; i++) {
		pmix_proc_t p = {.rank = i};

		memcpy(p.nspace, name, strlen(name));
		are_done =
			await_status(h, h->pmix.PMIx_server_register_client(&p, getuid(),
						getgid(), NULL, on_status, h));
	}
	return are_done;
}

static void
reply(const struct host *h, struct arena *a, const char *why, char **variables)
{
	struct buf b = {.arena = a};

	json_line_open(&b, NULL, '{');
	if (why)
		json_line_text(&b, "why", str_of(why));
	json_line_open(&b, "variables", '[');
	for (char **v = variables; v && *v; v++)
		json_line_text(&b, NULL, str_of(*v));
	json_line_close(&b, ']');
	json_line_close(&b, '}');
	buf_char(&b, '\n');
	(void)file_put(h->commands, buf_as_str(&b));
}

static void
add_space(struct host *h, const char *name)
{
	struct arena *a = arena_open();
	struct space *s = NEW(a, struct space);

	s->arena = a;
	memcpy(s->name, name, strlen(name));
	pthread_mutex_lock(&h->lock);
	s->next = h->spaces;
	h->spaces = s;
	pthread_mutex_unlock(&h->lock);
}

/* The variables are those of rank 0. */
static void
admit(struct host *h, struct arena *a, const char *name, unsigned ranks)
{
	pmix_proc_t first = {.rank = 0};
	char **variables = NULL;
	pmix_status_t status;

	if (!register_space(h, a, name, ranks) || !register_ranks(h, name, ranks)) {
		reply(h, a, "libpmix does not admit it", NULL);
		return;
	}
	memcpy(first.nspace, name, strlen(name));
	status = h->pmix.PMIx_server_setup_fork(&first, &variables);
	if (status != PMIX_SUCCESS) {
		reply(h, a, h->pmix.PMIx_Error_string(status), NULL);
		return;
	}
	add_space(h, name);
	reply(h, a, NULL, variables);
	for (char **v = variables; v && *v; v++)
		memory_free(*v);
	memory_free(variables);
}

static void
leave(struct host *h, const char *name)
{
	struct space **at = &h->spaces, *s;

	pthread_mutex_lock(&h->lock);
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	s = *at;
	if (s)
		*at = s->next;
	pthread_mutex_unlock(&h->lock);
	if (!s)
		return;
	h->pmix.PMIx_server_deregister_nspace(s->name, on_status, h);
	(void)await_status(h, PMIX_SUCCESS);
	arena_close(s->arena);
}

static void
take_command(struct host *h, struct str line)
{
	struct arena *a = arena_open();
	struct str verb = str_take(&line, ' '), name = str_take(&line, ' ');
	uint64_t ranks;

	if (name.n && name.n <= PMIX_MAX_NSLEN) {
		if (str_is(verb, "leave"))
			leave(h, str_z(a, name));
		else if (str_unsigned(line, RANKS_MOST, &ranks))
			admit(h, a, str_z(a, name), (unsigned)ranks);
	}
	arena_close(a);
}

/* ---- the process ----------------------------------------------------------------- */

/* The sockets of clients inherit it: an answer that follows an event does not wait until
 * the client has confirmed that. */
static void
hurry_sockets(void)
{
	int on = 1, last = (int)sysconf(_SC_OPEN_MAX);

	for (int fd = STDERR_FILENO + 1; fd < last && fd < DESCRIPTORS_MOST; fd++)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* false: libpmix cannot be used; the first command gets the reason. */
static bool
open_library(struct host *h, struct arena *a, const char *folder)
{
	pmix_info_t v[3] = {{.flags = 0}};
	bool no = false;
	pmix_status_t status;

	if (!load_library(&h->pmix)) {
		reply(h, a, "libpmix cannot be loaded", NULL);
		return false;
	}
	h->pmix.PMIx_Info_load(&v[0], PMIX_SERVER_TMPDIR, folder, PMIX_STRING);
	h->pmix.PMIx_Info_load(&v[1], PMIX_SYSTEM_TMPDIR, folder, PMIX_STRING);
	h->pmix.PMIx_Info_load(&v[2], PMIX_SERVER_TOOL_SUPPORT, &no, PMIX_BOOL);
	status = h->pmix.PMIx_server_init(&h->module, v, 3);
	if (status != PMIX_SUCCESS)
		reply(h, a, h->pmix.PMIx_Error_string(status), NULL);
	hurry_sockets();
	return status == PMIX_SUCCESS;
}

/* Until the run closes one of its ends. */
static void
serve(struct host *h)
{
	struct pmix_lines commands = pmix_lines_open(h->commands);
	struct pmix_lines answers = pmix_lines_open(h->questions);
	struct pollfd p[] = {{.fd = h->commands, .events = POLLIN},
		{.fd = h->questions, .events = POLLIN}};
	struct str line;

	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents && !pmix_lines_read(&commands))
			return;
		while (pmix_lines_take(&commands, &line))
			take_command(h, line);
		if (p[1].revents && !pmix_lines_read(&answers))
			return;
		while (pmix_lines_take(&answers, &line))
			take_answer(h, line);
	}
}

/* What libpmix writes to standard error must not be in the way of the questions. */
static bool
move_questions(struct host *h)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	h->questions = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return h->questions >= 0 && nothing >= 0 && dup2(nothing, STDERR_FILENO) >= 0;
}

int
pmix_host_run(struct arena *a, const char *folder)
{
	struct host *h = NEW(a, struct host);

	*h = (struct host){.module = {.client_connected2 = on_connected,
				   .client_finalized = on_finalized,
				   .abort = on_abort,
				   .fence_nb = on_fence,
				   .register_events = on_register,
				   .deregister_events = on_deregister,
				   .notify_event = on_notify,
				   .query = on_query,
				   .allocate = on_allocate},
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.is_done = PTHREAD_COND_INITIALIZER,
		.commands = STDIN_FILENO};
	own = h;
	signal(SIGPIPE, SIG_IGN);
	/* cctr may have inherited more than libpmix can have. */
	file_close_all(STDERR_FILENO + 1, UINT_MAX);
	if (!move_questions(h) || !open_library(h, a, folder))
		return 1;
	serve(h);
	return 0;
}
