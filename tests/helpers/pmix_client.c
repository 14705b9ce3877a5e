/*
 * A program that asks for leases by PMIx. Each line of its standard input is a step:
 *
 *	NEW|EXTEND|RELEASE|REACQUIRE|CANCEL|NUMBER ATTRIBUTE...
 *		a request; prints its status and what was answered
 *	start NEW ATTRIBUTE...	the same without waiting; finish prints the answer
 *	query ATTRIBUTE...	prints the status of a request
 *	listen ATTRIBUTE...	registers for the ends of requests; event prints the next
 *	touch FILE, await FILE	order between programs
 *	die			kills itself
 *	bench N			prints the processor-independent time of N requests, in us
 *
 * ATTRIBUTE is NAME=VALUE, with a ! where it is required, or NAME[ATTRIBUTE;...].
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pmix.h>

enum { MOST = 16, PATIENCE_S = 60 };

static const struct {
	const char *name, *key;
	pmix_data_type_t type;
} known[] = {
	{"id", PMIX_ALLOC_ID, PMIX_STRING},
	{"reqid", PMIX_ALLOC_REQ_ID, PMIX_STRING},
	{"nnodes", PMIX_ALLOC_NUM_NODES, PMIX_UINT64},
	{"nlist", PMIX_ALLOC_NODE_LIST, PMIX_STRING},
	{"ncpus", PMIX_ALLOC_NUM_CPUS, PMIX_UINT64},
	{"ncpulist", PMIX_ALLOC_NUM_CPU_LIST, PMIX_STRING},
	{"cpulist", PMIX_ALLOC_CPU_LIST, PMIX_STRING},
	{"msize", PMIX_ALLOC_MEM_SIZE, PMIX_FLOAT},
	{"net", PMIX_ALLOC_NETWORK, PMIX_DATA_ARRAY},
	{"netid", PMIX_ALLOC_NETWORK_ID, PMIX_STRING},
	{"bw", PMIX_ALLOC_BANDWIDTH, PMIX_FLOAT},
	{"netqos", PMIX_ALLOC_NETWORK_QOS, PMIX_STRING},
	{"endpts", PMIX_ALLOC_NETWORK_ENDPTS, PMIX_SIZE},
	{"time", PMIX_ALLOC_TIME, PMIX_UINT32},
	{"lend", "pmix.alloc.lend", PMIX_UINT32},
	{"queue", PMIX_ALLOC_QUEUE, PMIX_STRING},
	{"gpus", "cctr.alloc.gpus", PMIX_UINT64},
	{"resources", "cctr.alloc.resources", PMIX_STRING},
	{"now", "cctr.alloc.now", PMIX_BOOL},
	{"waits", "cctr.alloc.waits", PMIX_BOOL},
	{"nspace", PMIX_NSPACE, PMIX_STRING},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* What has been heard, as text; answers and events apart. */
struct heard {
	char text[MOST][2000];
	int n, shown;
};
static struct heard answers, events;
static pmix_proc_t me;

/* ---- attributes ------------------------------------------------------------------ */

static void load(pmix_info_t *to, char *text);

static size_t
load_all(pmix_info_t *to, char *text, const char *separator)
{
	char *rest = NULL;
	size_t n = 0;

	for (char *one = strtok_r(text, separator, &rest); one && n < MOST;
		one = strtok_r(NULL, separator, &rest))
		load(&to[n++], one);
	return n;
}

static void
load_list(pmix_info_t *to, const char *key, char *text)
{
	pmix_data_array_t list = {.type = PMIX_INFO};
	pmix_info_t inner[MOST];

	memset(inner, 0, sizeof inner);
	text[strlen(text) - 1] = '\0';
	list.size = load_all(inner, text, ";");
	list.array = inner;
	PMIX_INFO_LOAD(to, key, &list, PMIX_DATA_ARRAY);
}

static void
load_value(pmix_info_t *to, const char *key, pmix_data_type_t type, const char *text)
{
	uint64_t large = strtoull(text, NULL, 10);
	uint32_t small = (uint32_t)large;
	size_t size = large;
	float real = strtof(text, NULL);
	bool flag = strcmp(text, "true") == 0;
	const void *value = text;

	if (type == PMIX_UINT64)
		value = &large;
	else if (type == PMIX_UINT32)
		value = &small;
	else if (type == PMIX_SIZE)
		value = &size;
	else if (type == PMIX_FLOAT)
		value = &real;
	else if (type == PMIX_BOOL)
		value = &flag;
	PMIX_INFO_LOAD(to, key, value, type);
}

static void
load(pmix_info_t *to, char *text)
{
	size_t end = strcspn(text, "=["), i = 0;
	char kind = text[end], *value = text + end + 1, *last = text + strlen(text) - 1;
	bool is_required = *last == '!';
	const char *key = text;
	pmix_data_type_t type = PMIX_STRING;

	if (is_required)
		*last = '\0';
	text[end] = '\0';
	while (i < sizeof known / sizeof *known && strcmp(known[i].name, text) != 0)
		i++;
	if (i < sizeof known / sizeof *known) {
		key = known[i].key;
		type = known[i].type;
	}
	if (kind == '[')
		load_list(to, key, value);
	else
		load_value(to, key, type, strcmp(value, "mine") ? value : me.nspace);
	if (is_required)
		PMIX_INFO_REQUIRED(to);
}

/* ---- what is heard --------------------------------------------------------------- */

/* Names of namespaces differ from run to run. */
static void
add_text(char *to, const char *text)
{
	size_t n = strlen(me.nspace);
	bool is_mine = strncmp(text, me.nspace, n) == 0;

	strcat(to, is_mine ? "NS" : "");
	strcat(to, text + (is_mine ? n : 0));
}

static void
add_infos(char *to, const pmix_info_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const pmix_value_t *e = &v[i].value;
		const char *key = v[i].key;
		char number[64] = "?";

		if (e->type == PMIX_PROC)
			continue;
		if (strncmp(key, "pmix.alloc.", 11) == 0)
			key += 11;
		sprintf(to + strlen(to), " %s=", key);
		if (e->type == PMIX_STRING) {
			add_text(to, e->data.string);
		} else if (e->type == PMIX_DATA_ARRAY) {
			strcat(to, "[");
			add_infos(to, e->data.darray->array, e->data.darray->size);
			strcat(to, " ]");
		} else {
			if (e->type == PMIX_UINT64)
				sprintf(number, "%llu",
					(unsigned long long)e->data.uint64);
			else if (e->type == PMIX_FLOAT)
				sprintf(number, "%g", (double)e->data.fval);
			strcat(to, strcmp(key, "time") ? number : "N");
		}
	}
}

static void
hear(struct heard *h, pmix_status_t status, const pmix_info_t *v, size_t n)
{
	char *to;

	pthread_mutex_lock(&lock);
	to = h->text[h->n % MOST];
	sprintf(to, "%s", PMIx_Error_string(status));
	add_infos(to, v, n);
	h->n++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void
show(struct heard *h)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&lock);
	while (h->shown == h->n)
		if (pthread_cond_timedwait(&changed, &lock, &until) != 0) {
			puts("nothing came");
			exit(1);
		}
	puts(h->text[h->shown++ % MOST]);
	pthread_mutex_unlock(&lock);
}

static void
on_answer(pmix_status_t status, pmix_info_t *v, size_t n, void *context,
	pmix_release_cbfunc_t release, void *release_context)
{
	(void)context;
	hear(&answers, status, v, n);
	if (release)
		release(release_context);
}

static void
on_event(size_t id, pmix_status_t status, const pmix_proc_t *from, pmix_info_t v[],
	size_t n, pmix_info_t *results, size_t results_n,
	pmix_event_notification_cbfunc_fn_t call, void *context)
{
	(void)id, (void)from, (void)results, (void)results_n;
	hear(&events, status, v, n);
	if (call)
		call(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, context);
}

static void
on_registered(pmix_status_t status, size_t reference, void *context)
{
	(void)reference, (void)context;
	hear(&answers, status, NULL, 0);
}

/* ---- steps ----------------------------------------------------------------------- */

static pmix_alloc_directive_t
directive(const char *word)
{
	static const char *const words[] = {
		"", "NEW", "EXTEND", "RELEASE", "REACQUIRE", "CANCEL"};

	for (size_t i = 1; i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return (pmix_alloc_directive_t)i;
	return (pmix_alloc_directive_t)atoi(word);
}

/* In one call, as programs do that wait. */
static void
request(const char *word, char *rest)
{
	pmix_info_t v[MOST], *results = NULL;
	char text[2000] = "";
	size_t n, results_n = 0;
	pmix_status_t status;

	memset(v, 0, sizeof v);
	n = load_all(v, rest, " ");
	status = PMIx_Allocation_request(directive(word), v, n, &results, &results_n);
	add_infos(text, results, results_n);
	printf("%s%s\n", PMIx_Error_string(status), text);
}

static void
start(char *rest)
{
	static pmix_info_t v[MOST][MOST];
	static int used;
	char *word = strsep(&rest, " ");
	size_t n = load_all(v[used], rest ? rest : "", " ");
	pmix_status_t status = PMIx_Allocation_request_nb(
		directive(word), v[used++ % MOST], n, on_answer, NULL);

	if (status != PMIX_SUCCESS)
		puts(PMIx_Error_string(status));
}

static void
query(char *rest)
{
	pmix_query_t *q;
	pmix_status_t status;

	PMIX_QUERY_CREATE(q, 1);
	PMIX_ARGV_APPEND(status, q->keys, PMIX_QUERY_ALLOC_STATUS);
	PMIX_QUERY_QUALIFIERS_CREATE(q, MOST);
	q->nqual = load_all(q->qualifiers, rest, " ");
	status = PMIx_Query_info_nb(q, 1, on_answer, NULL);
	if (status == PMIX_SUCCESS)
		show(&answers);
	else
		puts(PMIx_Error_string(status));
}

static void
listen_for_ends(char *rest)
{
	pmix_status_t code = PMIX_NOTIFY_ALLOC_COMPLETE;
	pmix_info_t v[MOST];
	size_t n;

	memset(v, 0, sizeof v);
	n = load_all(v, rest, " ");
	PMIx_Register_event_handler(&code, 1, v, n, on_event, on_registered, NULL);
	show(&answers);
}

static void
await_file(const char *name)
{
	for (int i = 0; access(name, F_OK) != 0; i++) {
		if (i == PATIENCE_S * 100)
			exit(1);
		usleep(10000);
	}
}

static void
bench(int n)
{
	uint64_t one = 1;
	struct timespec from, to;
	pmix_info_t v[2], *results;
	size_t results_n;

	memset(v, 0, sizeof v);
	PMIX_INFO_LOAD(&v[0], PMIX_ALLOC_REQ_ID, "bench", PMIX_STRING);
	PMIX_INFO_LOAD(&v[1], PMIX_ALLOC_NUM_CPUS, &one, PMIX_UINT64);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < n; i++)
		if (PMIx_Allocation_request(i % 2 ? PMIX_ALLOC_RELEASE : PMIX_ALLOC_NEW,
			    v, i % 2 ? 1 : 2, &results, &results_n) != PMIX_SUCCESS)
			puts("refused");
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.1f\n", ((double)(to.tv_sec - from.tv_sec) * 1e6 +
				 (double)(to.tv_nsec - from.tv_nsec) / 1e3) /
				 n);
}

static void
take_step(char *line)
{
	char *rest = line, *word = strsep(&rest, " ");
	char none[] = "";

	rest = rest ? rest : none;
	if (strcmp(word, "start") == 0)
		start(rest);
	else if (strcmp(word, "finish") == 0)
		show(&answers);
	else if (strcmp(word, "query") == 0)
		query(rest);
	else if (strcmp(word, "listen") == 0)
		listen_for_ends(rest);
	else if (strcmp(word, "event") == 0)
		show(&events);
	else if (strcmp(word, "touch") == 0)
		close(open(rest, O_CREAT | O_WRONLY, 0600));
	else if (strcmp(word, "await") == 0)
		await_file(rest);
	else if (strcmp(word, "die") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(word, "bench") == 0)
		bench(atoi(rest));
	else
		request(word, rest);
	fflush(stdout);
}

int
main(void)
{
	char line[2000];
	pmix_status_t status = PMIx_Init(&me, NULL, 0);

	if (status != PMIX_SUCCESS) {
		printf("PMIx_Init: %s\n", PMIx_Error_string(status));
		return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		take_step(line);
	}
	return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
