/* The machine is examined once per file. See site.h. */
#include "compat/dashboard/step/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "compat/console/report_text.h"
#include "compat/instrument/host.h"
#include "compat/report/report_junit.h"
#include "runner/cmakelang/cmake_text.h"

static void
add_processor(struct xml *x, const struct step_input *in, const struct host *h)
{
	xml_attribute(x, "VendorString", h->vendor);
	xml_attribute(x, "VendorID", h->maker);
	xml_attribute_fmt(x, "FamilyID", "%d", h->family);
	xml_attribute_fmt(x, "ModelID", "%d", h->model);
	if (in->dialect->has[DIALECT_XML_MODEL_NAME])
		xml_attribute(x, "ModelName", h->model_name);
	xml_attribute_fmt(x, "ProcessorCacheSize", "%d", h->cache_kib);
	xml_attribute_fmt(x, "NumberOfLogicalCPU", "%ld", h->logical);
	xml_attribute_fmt(x, "NumberOfPhysicalCPU", "%ld", h->physical);
	xml_attribute_fmt(x, "TotalVirtualMemory", "%ld", h->swap_mib);
	xml_attribute_fmt(x, "TotalPhysicalMemory", "%ld", h->memory_mib);
	xml_attribute_fmt(x, "LogicalProcessorsPerPhysical", "%ld",
		h->logical > h->physical ? h->logical / h->physical : 1);
	xml_attribute_fmt(x, "ProcessorClockFrequency", x->digits ? "%.*f" : "%.*g",
		x->digits ? x->digits : 6, h->clock_mhz);
}

static void
add_machine(struct xml *x, const struct step_input *in)
{
	struct host h = host_examine(in->arena);

	if (!h.os_name.n)
		return;
	xml_attribute(x, "OSName", h.os_name);
	xml_attribute(x, "Hostname", h.name);
	xml_attribute(x, "OSRelease", h.os_release);
	xml_attribute(x, "OSVersion", h.os_version);
	xml_attribute(x, "OSPlatform", h.os_platform);
	xml_attribute(x, "Is64Bits", sizeof(void *) == 8 ? STR("1") : STR("0"));
	add_processor(x, in, &h);
}

struct str
site_stamp(const struct step_input *in)
{
	const struct stamp *s = &in->stamp;
	struct str group = s->group.n ? s->group : str_of(model_name(s->model));

	return str_fmt(in->arena, "%.*s-%.*s", STR_ARG(s->tag), STR_ARG(group));
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
	xml_attribute(x, "BuildName", clean_name(in, step_key(in, "BuildName")));
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

void
site_subprojects(struct xml *x, const struct step_input *in)
{
	struct str_list labels =
		cmake_list_split(in->arena, step_key(in, "LabelsForSubprojects"), false);

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
		clean_name(in, step_key(in, "Site")));
	if (in->call.append)
		xml_attribute(x, "Append", STR("true"));
	xml_attribute(x, "CompilerName", step_key(in, "Compiler"));
	xml_attribute(x, "CompilerVersion", step_key(in, "CompilerVersion"));
	add_machine(x, in);
	if (step_key(in, "ChangeId").n)
		xml_attribute(x, "ChangeId", step_key(in, "ChangeId"));
	add_properties(x, in);
}

void
site_open_short(struct xml *x, const struct step_input *in)
{
	xml_declaration(x);
	buf_z(x->out, "\n<?xml-stylesheet type=\"text/xsl\" "
		      "href=\"Dart/Source/Server/XSL/Build.xsl "
		      "<file:///Dart/Source/Server/XSL/Build.xsl> \"?>");
	xml_open(x, "Site");
	add_names(x, in, site_stamp(in), step_key(in, "Site"));
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
