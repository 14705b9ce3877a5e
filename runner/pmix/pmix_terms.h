/*
 * What PMIx's clients say and hear, without PMIx's types: the attributes of an allocation
 * request become a request for a lease, and its answer becomes attributes.
 * Help/manual/cctr-pmix.7.rst has the attributes.
 */
#ifndef CCTR_RUNNER_PMIX_PMIX_TERMS_H
#define CCTR_RUNNER_PMIX_PMIX_TERMS_H

#include "runner/control/control_requests.h"

/* The names of attributes that both sides need, as in PMIx's header. */
#define KEY_REQUEST_ID "pmix.alloc.reqid" /* the client's */
#define KEY_LEASE_ID "pmix.alloc.id" /* the client's in RFC 0005, else cctr's */
#define KEY_STATUS "pmix.query.alloc"
#define KEY_OWN "cctr.alloc." /* how cctr's own begin; a type follows, or one of: */
#define KEY_OWN_STATUS KEY_OWN "status"
#define KEY_OWN_REASON KEY_OWN "reason"

enum attribute_kind {
	ATTRIBUTE_OTHER, /* a value that no attribute here has */
	ATTRIBUTE_NUMBER,
	ATTRIBUTE_REAL, /* a number with a fraction, of answers */
	ATTRIBUTE_TEXT,
	ATTRIBUTE_FLAG,
	ATTRIBUTE_LIST,
};
struct attribute {
	struct str key;
	enum attribute_kind kind;
	bool is_required, flag;
	double number;
	struct str text;
	const struct attribute *v; /* of a list */
	size_t n;
};
struct attribute_vec {
	struct attribute *v;
	size_t n, cap;
};

/* How a request has ended, or why it cannot begin. */
enum pmix_result {
	PMIX_RESULT_GRANTED,
	PMIX_RESULT_PARTIAL,
	PMIX_RESULT_NO_ROOM,
	PMIX_RESULT_NO_LEASE, /* the test has none of that id */
	PMIX_RESULT_WRONG, /* the values are not those of the attributes */
	PMIX_RESULT_UNKNOWN, /* a directive, or an attribute that is required */
	PMIX_RESULT_CANCELED,
	PMIX_RESULT_NO_RUN, /* the test has ended, or the run has no resources */
	PMIX_RESULTS
};

/* What else a request says. */
struct pmix_request {
	struct control_request q;
	struct str user_id, lease_id; /* as the attributes have them; STR_NONE */
	struct str network; /* a name for the ports of the answer; STR_NONE */
};

/* PMIX_RESULT_GRANTED: *r is the request, without id and token. */
enum pmix_result pmix_request_read(struct arena *a, unsigned directive,
	const struct attribute *v, size_t n, struct pmix_request *r);

struct pmix_answer {
	enum pmix_result result;
	struct str id; /* of the lease; STR_NONE: the answer is about none */
	struct str status; /* of the lease: granted, ..., or ended */
	struct attribute_vec attributes; /* without ids */
	/* Where all leases were asked for: the id of each, as a key, with its status. */
	struct attribute_vec all;
};
/* line: the answer of the run, one line of JSON. */
void pmix_answer_read(struct arena *a, struct str line, const struct pmix_request *r,
	struct pmix_answer *answer);

#endif
