/* The file of a report. See report_stream.h. */
#include "runner/report/report_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"

#define PATIENCE_NS UINT64_C(10000000000)

static bool
has_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0;
}

/* A FIFO without a reader is an error, and does not wait for one. */
void
report_stream_open(struct report_stream *s)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

	s->fd = streams_is_output(str_of(s->path))
			? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
			: file_open(s->path, FLAGS, 0666);
	if (s->fd < 0) {
		s->error = errno;
		return;
	}
	s->outlet = outlet_open(s->fd, P_tmpdir);
	s->has_name = has_name(s->fd);
}

void
report_stream_put(struct report_stream *s, struct str lines)
{
	if (s->fd < 0)
		return;
	outlet_put(&s->outlet, lines);
	if (s->outlet.is_pending)
		outlet_push(&s->outlet);
}

static void
wait_for_reader(struct report_stream *s)
{
	while (s->outlet.is_pending && !s->outlet.error) {
		int n = loop_await(s->outlet.fd, POLLOUT, loop_now_ns() + PATIENCE_NS);

		if (n == 0)
			s->outlet.error = ETIMEDOUT;
		else if (n > 0)
			outlet_push(&s->outlet);
		else
			s->outlet.error = errno;
	}
}

bool
report_stream_close(struct report_stream *s, struct diag *d)
{
	struct str name =
		str_of(streams_is_output(str_of(s->path)) ? "standard output" : s->path);
	int error = s->error;
	bool is_removed = false;

	if (s->fd >= 0) {
		wait_for_reader(s);
		error = s->outlet.error;
		outlet_close(&s->outlet);
		is_removed = s->has_name && !has_name(s->fd);
		if (close(s->fd) != 0 && !error)
			error = errno;
		s->fd = -1;
	}
	if (is_removed && !error)
		return diag_error(
			d, (struct place){.file = name}, "was removed while tests ran");
	return !error || diag_system(d, name, "cannot be written", error);
}
