/* See policies.h. */
#include "manifests/cmake/policies.h"

struct policies {
	struct arena *a;
	policy_set now;
	VEC(policy_set) stack;
	size_t floor; /* the size of the stack when the current scope began */
	bool is_weak;
};

struct policies *
policies_new(struct arena *a)
{
	struct policies *p = NEW(a, struct policies);

	p->a = a;
	return p;
}

bool
policy_is_new(const struct policies *p, enum policy policy)
{
	return p->now >> policy & 1;
}

void
policy_put(struct policies *p, enum policy policy, bool is_new)
{
	policy_set bit = (policy_set)1 << policy;

	p->now = is_new ? p->now | bit : p->now & ~bit;
}

policy_set
policies_get(const struct policies *p)
{
	return p->now;
}

void
policies_put(struct policies *p, policy_set set)
{
	p->now = set;
}

/* ---- the stack ------------------------------------------------------------------- */

void
policies_push(struct policies *p)
{
	VEC_PUSH(p->a, &p->stack, p->now);
}

bool
policies_pop(struct policies *p)
{
	if (p->stack.n == p->floor)
		return false;
	p->now = p->stack.v[--p->stack.n];
	return true;
}

struct policy_scope
policies_enter(struct policies *p, bool is_of_call)
{
	struct policy_scope s = {p->now, p->floor, is_of_call};

	p->floor = p->stack.n;
	if (is_of_call)
		policies_push(p);
	return s;
}

ptrdiff_t
policies_leave(struct policies *p, const struct policy_scope *s)
{
	size_t n = p->stack.n, own = p->floor + s->is_of_call;

	INVARIANT(n >= p->floor);
	if (n > p->floor)
		p->now = p->stack.v[p->floor];
	p->stack.n = p->floor;
	p->floor = s->floor;
	return (ptrdiff_t)n - (ptrdiff_t)own;
}

bool
policies_set_weak(struct policies *p, bool is_weak)
{
	bool old = p->is_weak;

	p->is_weak = is_weak;
	return old;
}

bool
policies_reach_includer(const struct policies *p)
{
	return p->is_weak && p->stack.n == p->floor;
}

/* ---- marks ----------------------------------------------------------------------- */

struct policies_mark
policies_mark(const struct policies *p)
{
	return (struct policies_mark){p->now, p->stack.n, p->floor, p->is_weak};
}

void
policies_rewind(struct policies *p, const struct policies_mark *m)
{
	p->now = m->now;
	p->stack.n = m->stack_n;
	p->floor = m->floor;
	p->is_weak = m->is_weak;
}
