/* The machine is examined once per file. See site.h. */
#include "compat/dashboard/step/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/report/report_junit.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

/* The value after "name : " in /proc/cpuinfo, from the first processor. */
static struct str
cpu_field(struct str cpuinfo, const char *name)
{
	struct str line;

	while (str_take_line(&cpuinfo, &line)) {
		size_t colon = str_find(line, ':');

		if (colon < line.n && str_is(str_trim(str_cut(line.p, colon)), name))
			return str_trim(str_from(line, colon + 1));
	}
	return STR("");
}

static const struct {
	const char *vendor, *maker;
} makers[] = {
	{"GenuineIntel", "Intel Corporation"},
	{"AuthenticAMD", "Advanced Micro Devices"},
	{"HygonGenuine", "Hygon Information Technology"},
	{"CentaurHauls", "Centaur Technology"},
	{"", "Unknown Manufacturer"},
};

static struct str
maker_of(struct str vendor)
{
	size_t i = 0;

	while (*makers[i].vendor && !str_is(vendor, makers[i].vendor))
		i++;
	return str_of(makers[i].maker);
}

/* The megabytes in a line of /proc/meminfo. */
static long
memory_mb(struct str meminfo, const char *name)
{
	return (long)(str_double(cpu_field(meminfo, name)) / 1024);
}

/* The number of different sockets. */
static long
count_sockets(struct arena *a, struct str cpuinfo)
{
	struct map seen = map_in(a);
	struct str line;

	while (str_take_line(&cpuinfo, &line)) {
		size_t colon = str_find(line, ':');

		if (str_begins(line, STR("physical id")) && colon < line.n)
			map_set(&seen, str_trim(str_from(line, colon + 1)), 1);
	}
	return seen.n ? (long)seen.n : 1;
}

static void
add_processor(struct xml *x, const struct step_input *in)
{
	struct str cpu = STR(""), memory = STR("");
	struct arena *a = in->arena;
	long logical = sysconf(_SC_NPROCESSORS_ONLN), cores, physical;

	if (!file_read(a, "/proc/cpuinfo", &cpu))
		cpu = STR("");
	if (!file_read(a, "/proc/meminfo", &memory))
		memory = STR("");
	cores = str_int(cpu_field(cpu, "cpu cores"));
	physical = (cores > 0 ? cores : 1) * count_sockets(a, cpu);
	xml_attribute(x, "VendorString", cpu_field(cpu, "vendor_id"));
	xml_attribute(x, "VendorID", maker_of(cpu_field(cpu, "vendor_id")));
	xml_attribute_fmt(x, "FamilyID", "%d", str_int(cpu_field(cpu, "cpu family")));
	xml_attribute_fmt(x, "ModelID", "%d", str_int(cpu_field(cpu, "model")));
	if (in->dialect->has[DIALECT_XML_MODEL_NAME])
		xml_attribute(x, "ModelName", cpu_field(cpu, "model name"));
	xml_attribute_fmt(
		x, "ProcessorCacheSize", "%d", str_int(cpu_field(cpu, "cache size")));
	xml_attribute_fmt(x, "NumberOfLogicalCPU", "%ld", logical);
	xml_attribute_fmt(x, "NumberOfPhysicalCPU", "%ld", physical);
	xml_attribute_fmt(x, "TotalVirtualMemory", "%ld", memory_mb(memory, "SwapTotal"));
	xml_attribute_fmt(x, "TotalPhysicalMemory", "%ld", memory_mb(memory, "MemTotal"));
	xml_attribute_fmt(x, "LogicalProcessorsPerPhysical", "%ld",
		logical > physical ? logical / physical : 1);
	xml_attribute_fmt(x, "ProcessorClockFrequency", x->digits ? "%.*f" : "%.*g",
		x->digits ? x->digits : 6,
		(double)(float)str_double(cpu_field(cpu, "cpu MHz")));
}

static void
add_machine(struct xml *x, const struct step_input *in)
{
	struct utsname name;
	char host[256] = "";

	if (uname(&name) != 0)
		return;
	gethostname(host, sizeof host - 1);
	xml_attribute(x, "OSName", str_of(name.sysname));
	xml_attribute(x, "Hostname", str_of(host));
	xml_attribute(x, "OSRelease", str_of(name.release));
	xml_attribute(x, "OSVersion", str_of(name.version));
	xml_attribute(x, "OSPlatform", str_of(name.machine));
	xml_attribute(x, "Is64Bits", sizeof(void *) == 8 ? STR("1") : STR("0"));
	add_processor(x, in);
}

static struct str
get_key(const struct step_input *in, const char *key)
{
	return configuration_get(in->configuration, key);
}

struct str
site_stamp(const struct step_input *in)
{
	return str_fmt(
		in->arena, "%.*s-%.*s", STR_ARG(in->stamp.tag), STR_ARG(in->stamp.group));
}

void
site_generator(struct xml *x, const struct step_input *in)
{
	xml_attribute(x, "Generator",
		str_fmt(in->arena, "ctest-%.*s",
			STR_ARG(dialect_text(in->arena, in->dialect))));
}

static struct str
clean_name(const struct step_input *in, struct str text)
{
	return report_build_name(in->arena, in->dialect, text);
}

/* Each file has its own rule about which names lose the characters that file names may
 * not have. */
static void
add_names(struct xml *x, const struct step_input *in, struct str stamp, struct str site)
{
	xml_attribute(x, "BuildName", clean_name(in, get_key(in, "BuildName")));
	xml_attribute(x, "BuildStamp", stamp);
	xml_attribute(x, "Name", site);
	site_generator(x, in);
}

/* The values that a script set for the properties SubProject, SubProjectLabels and
 * Label. */
static void
add_properties(struct xml *x, const struct step_input *in)
{
	struct str_list labels =
		cmake_list_split(in->arena, in->subproject_labels, false);

	if (in->subproject.p) {
		xml_open(x, "Subproject");
		xml_attribute(x, "name", in->subproject);
		if (in->subproject_labels.p)
			xml_open(x, "Labels");
		for (size_t i = 0; i < labels.n; i++)
			site_text(x, "Label", labels.v[i]);
		if (in->subproject_labels.p)
			xml_close(x);
		xml_close(x);
	}
	if (in->label.p) {
		xml_open(x, "Labels");
		site_text(x, "Label", in->label);
		xml_close(x);
	}
}

static void
add_subprojects(struct xml *x, const struct step_input *in)
{
	struct str_list labels =
		cmake_list_split(in->arena, get_key(in, "LabelsForSubprojects"), false);

	str_list_make_set(&labels);
	for (size_t i = 0; i < labels.n; i++) {
		xml_open(x, "Subproject");
		xml_attribute(x, "name", labels.v[i]);
		site_text(x, "Label", labels.v[i]);
		xml_close(x);
	}
}

void
site_open(struct xml *x, const struct step_input *in)
{
	xml_declaration(x);
	xml_open(x, "Site");
	xml_break_attributes(x);
	add_names(x, in, clean_name(in, site_stamp(in)),
		clean_name(in, get_key(in, "Site")));
	if (in->call.append)
		xml_attribute(x, "Append", STR("true"));
	xml_attribute(x, "CompilerName", get_key(in, "Compiler"));
	xml_attribute(x, "CompilerVersion", get_key(in, "CompilerVersion"));
	add_machine(x, in);
	if (get_key(in, "ChangeId").n)
		xml_attribute(x, "ChangeId", get_key(in, "ChangeId"));
	add_properties(x, in);
	add_subprojects(x, in);
}

void
site_open_short(struct xml *x, const struct step_input *in)
{
	xml_declaration(x);
	buf_z(x->out, "\n<?xml-stylesheet type=\"text/xsl\" "
		      "href=\"Dart/Source/Server/XSL/Build.xsl "
		      "<file:///Dart/Source/Server/XSL/Build.xsl> \"?>");
	xml_open(x, "Site");
	add_names(x, in, site_stamp(in), get_key(in, "Site"));
	add_properties(x, in);
}

void
site_text(struct xml *x, const char *name, struct str text)
{
	xml_open(x, name);
	xml_text(x, text);
	xml_close(x);
}

void
site_number(struct xml *x, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	site_text(x, name, str_of(text));
}

void
site_double(struct xml *x, const char *name, double value)
{
	char text[64];

	snprintf(text, sizeof text, x->digits ? "%.*f" : "%.*g",
		x->digits ? x->digits : 6, value);
	site_text(x, name, str_of(text));
}

void
site_time(struct xml *x, const char *date_name, const char *time_name, int64_t seconds)
{
	char date[REPORT_DATE_BYTES];

	site_text(x, date_name, str_of(report_date(date, seconds)));
	site_number(x, time_name, seconds);
}

void
site_now(struct xml *x)
{
	char date[REPORT_DATE_BYTES];
	int64_t now = time(NULL);

	site_number(x, "Time", now);
	site_text(x, "DateTime", str_of(report_date(date, now)));
}
