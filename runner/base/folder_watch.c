/* Uses inotify; on other systems there is no watch. See folder_watch.h. */
#include "runner/base/folder_watch.h"

#ifdef __linux__

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runner/base/files.h"

struct folder_watch {
	int fd;
	bool is_lost;
};

#define NEWS (IN_CREATE | IN_MOVED_TO)
/* The folder was replaced, or events were lost for want of room. */
#define LOSSES (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW)

struct folder_watch *
folder_watch_open(struct arena *a, const char *path)
{
	struct folder_watch *w = NEW(a, struct folder_watch);
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (inotify_add_watch(
		    fd, path, NEWS | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR) < 0) {
		close(fd);
		return NULL;
	}
	*w = (struct folder_watch){.fd = fd};
	return w;
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
			if (e->mask & NEWS && e->len)
				take(context, str_of(e->name));
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
folder_watch_open(struct arena *a, const char *path)
{
	(void)a;
	(void)path;
	return NULL;
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
