/*
 * Answers of Grid Engine. See grid_engine_answers.h.
 *
 * The elements of its XML have names of their own, whatever they are in: a reader keeps
 * the text of the innermost element, and looks at the name when that element ends.
 */
#include "runner/cluster/grid_engine_answers.h"

#include "runner/base/xml_read.h"

enum { SLOTS_MOST = 1 << 24, HOSTS_MOST = 1 << 16, TEXT_MOST = 1 << 16 };

/* ---- hosts ----------------------------------------------------------------------- */

/* No letter of a name means anything to a shell, and no name looks like an option. */
static bool
is_host_name(struct str s)
{
	return s.n > 0 && s.p[0] != '-' && str_is_of(s, STR_ALNUM "._-");
}

static bool
add_host(struct arena *a, grid_engine_hosts *hosts, struct str name, struct str slots)
{
	uint64_t n;

	if (!is_host_name(name) || !str_unsigned(slots, SLOTS_MOST, &n) || !n)
		return false;
	for (size_t i = 0; i < hosts->n; i++)
		if (str_eq(hosts->v[i].name, name)) {
			hosts->v[i].slots += n;
			return true;
		}
	if (hosts->n == HOSTS_MOST)
		return false;
	VEC_PUSH(a, hosts, (struct grid_engine_host){str_dup(a, name), n});
	return true;
}

/* The next word of a line; "" at its end. */
static struct str
take_word(struct str *line)
{
	struct str rest = str_trim(*line), word;
	size_t n = 0;

	while (n < rest.n && rest.p[n] != ' ' && rest.p[n] != '\t')
		n++;
	word = str_cut(rest.p, n);
	*line = str_from(rest, n);
	return word;
}

bool
grid_engine_hosts_read(
	struct arena *a, struct str text, grid_engine_hosts *hosts, const char **why)
{
	*hosts = (grid_engine_hosts){0};
	while (text.n) {
		struct str line = str_take(&text, '\n'), name, slots;

		if (!str_trim(line).n)
			continue;
		name = take_word(&line);
		slots = take_word(&line);
		if (!add_host(a, hosts, name, slots))
			return fail_why(why, "a line is not a host and its slots");
	}
	return hosts->n > 0 || fail_why(why, "it names no host");
}

/* ---- the number of a job --------------------------------------------------------- */

bool
grid_engine_number_read(struct str text, uint64_t *number)
{
	struct str line;
	size_t n;

	text = str_trim(text);
	n = str_rfind(text, '\n');
	line = n < text.n ? str_from(text, n + 1) : text;
	return str_unsigned(str_cut(line.p, str_find(line, '.')), UINT32_MAX, number) &&
	       *number > 0;
}

/* ---- the end of a job ------------------------------------------------------------ */

/* "failed       37  : qmaster enforced h_rt, h_cpu, or h_vmem limit" */
static void
take_end_line(struct str line, struct str *number, struct grid_engine_end *end)
{
	struct str key = take_word(&line), value = take_word(&line);

	if (str_is(key, "jobnumber")) {
		*number = value;
	} else if (str_is(key, "failed")) {
		if (!str_unsigned(value, UINT32_MAX, &end->failed))
			end->failed = UINT32_MAX;
		(void)str_take(&line, ':');
		end->reason = str_trim(line);
	} else if (str_is(key, "exit_status")) {
		end->exit_status = value;
	}
}

/* The lines up to the next one of "=". */
static struct str
take_end_record(struct str *text, struct grid_engine_end *end)
{
	struct str number = STR("");

	*end = (struct grid_engine_end){.failed = 0};
	while (text->n) {
		struct str line = str_take(text, '\n');

		if (str_begins(line, STR("==")))
			break;
		take_end_line(line, &number, end);
	}
	return number;
}

bool
grid_engine_end_read(struct str text, struct str id, struct grid_engine_end *end)
{
	bool is_known = false;

	while (text.n) {
		struct grid_engine_end of_record;
		struct str number = take_end_record(&text, &of_record);

		if (!str_eq(number, id) || !of_record.exit_status.n)
			continue;
		if (!is_known || of_record.failed)
			*end = of_record;
		is_known = true;
	}
	return is_known;
}

/* ---- amounts --------------------------------------------------------------------- */

uint64_t
grid_engine_bytes(struct str amount)
{
	static const struct {
		char letter;
		double factor;
	} units[] = {{'K', 1024.0}, {'M', 1048576.0}, {'G', 1073741824.0}, {'k', 1e3},
		{'m', 1e6}, {'g', 1e9}};
	double value = str_double(amount);

	for (size_t i = 0; amount.n && i < sizeof units / sizeof *units; i++)
		if (amount.p[amount.n - 1] == units[i].letter)
			value *= units[i].factor;
	return value >= 1 && value < 1e18 ? (uint64_t)value : 0;
}

/* ---- jobs ------------------------------------------------------------------------ */

/* A line of the list: a slot of a job that runs, or a job that waits. */
struct line {
	uint64_t number;
	struct str state, host, role;
	uint64_t granted; /* slots of the whole job; 0: no parallel environment */
	struct str share; /* the name of the last one */
	VEC(struct grid_engine_share) shares;
};
struct reader {
	struct arena *arena;
	struct str root;
	struct buf text; /* of the innermost element */
	const char *why; /* the answer makes no sense; NULL: it does so far */
	grid_engine_jobs *jobs;
	struct map numbers; /* of jobs */
	VEC(struct line) masters; /* for each job; number 0: none was seen */
	struct line line;
};

static void
on_begin(void *context, struct str name)
{
	struct reader *r = context;

	if (!r->root.n)
		r->root = str_dup(r->arena, name);
	r->text.n = 0;
}

static void
on_attribute(void *context, struct str name, struct str value)
{
	struct reader *r = context;

	if (str_is(name, "name"))
		r->line.share = str_dup(r->arena, value);
}

static void
on_text(void *context, struct str text)
{
	struct reader *r = context;

	if (r->text.n + text.n <= TEXT_MOST)
		buf_str(&r->text, text);
}

/* The job of the line, which is added where it is new. */
static struct grid_engine_job *
job_of_line(struct reader *r)
{
	const struct line *l = &r->line;
	struct str key = str_fmt(r->arena, "%llu", (unsigned long long)l->number);
	uint32_t i = map_get(&r->numbers, key);

	if (i != MAP_NONE)
		return &r->jobs->v[i];
	map_set(&r->numbers, key, (uint32_t)r->jobs->n);
	VEC_PUSH(r->arena, r->jobs,
		(struct grid_engine_job){.number = l->number, .state = l->state});
	VEC_PUSH(r->arena, &r->masters, (struct line){.number = 0});
	return &r->jobs->v[r->jobs->n - 1];
}

static void
end_line(struct reader *r)
{
	const struct line *l = &r->line;
	struct grid_engine_job *job;

	if (!l->number) {
		r->why = "a job has no number";
		return;
	}
	job = job_of_line(r);
	if (!job->hosts.n && !job->shares.n)
		VEC_PUSH_ALL(r->arena, &job->shares, l->shares);
	if (str_is(l->role, "MASTER"))
		r->masters.v[job - r->jobs->v] = *l;
	else if (l->host.n && !add_host(r->arena, &job->hosts, l->host, STR("1")))
		r->why = "a job has a host without a name";
	r->line = (struct line){.number = 0};
}

static void
on_end(void *context, struct str name)
{
	struct reader *r = context;
	struct line *l = &r->line;
	struct str text = str_dup(r->arena, str_trim(buf_as_str(&r->text)));

	if (str_is(name, "JB_job_number"))
		(void)str_unsigned(text, UINT32_MAX, &l->number);
	else if (str_is(name, "state"))
		l->state = text;
	else if (str_is(name, "queue_name"))
		l->host = str_from(text,
			str_find(text, '@') < text.n ? str_find(text, '@') + 1 : text.n);
	else if (str_is(name, "master"))
		l->role = text;
	else if (str_is(name, "granted_pe"))
		(void)str_unsigned(text, SLOTS_MOST, &l->granted);
	else if (str_is(name, "hard_request"))
		VEC_PUSH(
			r->arena, &l->shares, (struct grid_engine_share){l->share, text});
	else if (str_is(name, "job_list"))
		end_line(r);
	r->text.n = 0;
}

/* The job's own task has a slot where the others do not have all of them. */
static void
add_master(struct reader *r, size_t i)
{
	struct grid_engine_job *job = &r->jobs->v[i];
	const struct line *m = &r->masters.v[i];
	uint64_t others = 0;

	for (size_t k = 0; k < job->hosts.n; k++)
		others += job->hosts.v[k].slots;
	if (m->number && (others == 0 || others < m->granted) &&
		!add_host(r->arena, &job->hosts, m->host, STR("1")))
		r->why = "a job has a host without a name";
}

bool
grid_engine_jobs_read(
	struct arena *a, struct str text, grid_engine_jobs *jobs, const char **why)
{
	struct reader r = {
		.arena = a, .text = {.arena = a}, .jobs = jobs, .numbers = map_in(a)};
	const struct xml_events events = {.context = &r,
		.begin = on_begin,
		.attribute = on_attribute,
		.text = on_text,
		.end = on_end};
	struct xml_fault fault;

	*jobs = (grid_engine_jobs){0};
	buf_room(&r.text, 1);
	fault = xml_read(text, &events);
	if (fault.text || !str_is(r.root, "job_info"))
		return fail_why(why, "it is no list of qstat");
	for (size_t i = 0; i < jobs->n; i++)
		add_master(&r, i);
	return !r.why || fail_why(why, r.why);
}

/* ---- messages -------------------------------------------------------------------- */

struct messages {
	struct arena *arena;
	struct buf text; /* of the innermost element */
	struct str last;
};

static void
begin_element(void *context, struct str name)
{
	struct messages *m = context;

	(void)name;
	m->text.n = 0;
}

static void
ignore_attribute(void *context, struct str name, struct str value)
{
	(void)context;
	(void)name;
	(void)value;
}

static void
add_text(void *context, struct str text)
{
	struct messages *m = context;

	if (m->text.n + text.n <= TEXT_MOST)
		buf_str(&m->text, text);
}

static void
end_element(void *context, struct str name)
{
	struct messages *m = context;

	if (str_is(name, "MES_message") && m->text.n)
		m->last = str_dup(m->arena, str_trim(buf_as_str(&m->text)));
	m->text.n = 0;
}

struct str
grid_engine_message_read(struct arena *a, struct str text)
{
	struct messages m = {.arena = a, .text = {.arena = a}};
	const struct xml_events events = {.context = &m,
		.begin = begin_element,
		.attribute = ignore_attribute,
		.text = add_text,
		.end = end_element};
	struct xml_fault fault = xml_read(text, &events);

	return fault.text ? STR_NONE : m.last;
}
