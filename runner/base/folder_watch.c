/* Uses inotify; on other systems there is no watch. See folder_watch.h. */
#include "runner/base/folder_watch.h"

#include <errno.h>

#ifdef __linux__

#include <sys/inotify.h>
#include <unistd.h>

#include "runner/base/files.h"

struct folder_watch {
	int fd;
	bool is_lost;
};

#define NAMES (IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
#define CHANGES (NAMES | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB)
/* The folder was replaced, or events were lost for want of room. */
#define LOSSES (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW)

struct folder_watch *
folder_watch_open(struct arena *a)
{
	struct folder_watch *w = NEW(a, struct folder_watch);

	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return w->fd < 0 ? NULL : w;
}

bool
folder_watch_add(struct folder_watch *w, const char *folder, enum folder_news news)
{
	return inotify_add_watch(w->fd, folder,
		       (news == FOLDER_NAMES ? NAMES : CHANGES) | IN_ONLYDIR) >= 0;
}

int
folder_watch_descriptor(const struct folder_watch *w)
{
	return w->fd;
}

bool
folder_watch_take(struct folder_watch *w, void (*take)(void *context, struct str name),
	void *context)
{
	_Alignas(struct inotify_event) char events[1 << 14];
	const struct inotify_event *e;
	ssize_t n;

	while ((n = file_get_now(w->fd, events, sizeof events)) > 0)
		for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof *e + e->len)) {
			e = (const struct inotify_event *)(events + at);
			w->is_lost |= (e->mask & LOSSES) != 0;
			take(context, e->len ? str_of(e->name) : STR(""));
		}
	w->is_lost |= n == 0 || errno != EAGAIN;
	return !w->is_lost;
}

void
folder_watch_close(struct folder_watch *w)
{
	if (w)
		close(w->fd);
}

#else

struct folder_watch *
folder_watch_open(struct arena *a)
{
	(void)a;
	errno = ENOSYS;
	return NULL;
}

bool
folder_watch_add(struct folder_watch *w, const char *folder, enum folder_news news)
{
	(void)w;
	(void)folder;
	(void)news;
	errno = ENOSYS;
	return false;
}

int
folder_watch_descriptor(const struct folder_watch *w)
{
	(void)w;
	return -1;
}

bool
folder_watch_take(struct folder_watch *w, void (*take)(void *context, struct str name),
	void *context)
{
	(void)w;
	(void)take;
	(void)context;
	return false;
}

void
folder_watch_close(struct folder_watch *w)
{
	(void)w;
}

#endif

/* What has no name is a folder itself, or lost events. */
static void
note_change(void *context, struct str name)
{
	bool *has_changed = context;

	*has_changed |= !name.n || (name.p[0] != '.' && !str_ends(name, STR("~")));
}

bool
folder_watch_has_changed(struct folder_watch *w)
{
	bool has_changed = false,
	     is_whole = folder_watch_take(w, note_change, &has_changed);

	(void)is_whole; /* a loss is a change */
	return has_changed;
}
