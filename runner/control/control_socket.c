/* Sockets of runs. See control_socket.h. */
#include "runner/control/control_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"

static bool
make_address(const char *path, struct sockaddr_un *address)
{
	size_t n = strlen(path);

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (n >= sizeof address->sun_path) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(address->sun_path, path, n);
	return true;
}

/* Closes the descriptor and leaves errno; -1. */
static int
give_up(int fd)
{
	file_close(&fd);
	return -1;
}

/* ---- of a run -------------------------------------------------------------------- */

/* The socket has its rights before it has a name (unix(7)), and before anyone can
 * connect. */
static bool
listen_at(int fd, const char *path)
{
	struct sockaddr_un address;

	if (!make_address(path, &address) || fchmod(fd, S_IRUSR | S_IWUSR) != 0)
		return false;
	(void)unlink(path);
	if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0)
		return false;
	if (listen(fd, SOMAXCONN) == 0)
		return true;
	(void)unlink(path);
	return false;
}

static int
open_at(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 || listen_at(fd, path) ? fd : give_up(fd);
}

/* A run that was killed leaves its socket. That of another user may not be asked. */
static bool
has_owner(const char *path)
{
	int pid, fd = control_connect(path, &pid);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno == EAGAIN || errno == EACCES || errno == EPERM;
}

/* By its inode it is known in the end. Without that there is no socket. */
static bool
note_inode(struct control_socket *s)
{
	struct stat st;

	if (lstat(s->path, &st) == 0) {
		s->inode = st.st_ino;
		return true;
	}
	(void)unlink(s->path);
	s->fd = give_up(s->fd);
	return false;
}

static bool
open_in_folder(struct arena *a, struct control_socket *s)
{
	scratch_folder_sweep(a);
	if (!scratch_folder_open(a, &s->folder))
		return false;
	s->has_folder = true;
	s->path = path_join(a, s->folder.path, STR(CONTROL_SOCKET)).p;
	s->fd = open_at(s->path);
	if (s->fd >= 0)
		return true;
	scratch_folder_close(a, &s->folder);
	return false;
}

static void
make_link(struct control_socket *s, const char *path)
{
	(void)unlink(path);
	if (symlink(s->path, path) == 0)
		s->link = path;
}

bool
control_socket_open(struct arena *a, struct str directory, struct control_socket *s)
{
	const char *path =
		path_join(a, path_join(a, path_here(a), directory), STR(CONTROL_SOCKET))
			.p;
	bool has_other = has_owner(path);

	*s = (struct control_socket){.fd = -1, .path = path};
	if (!has_other)
		s->fd = open_at(path);
	if (s->fd >= 0)
		return note_inode(s);
	if (!has_other && errno != ENAMETOOLONG)
		return false;
	if (!open_in_folder(a, s))
		return false;
	if (!has_other)
		make_link(s, path);
	return true;
}

bool
control_socket_open_apart(struct arena *a, struct control_socket *s)
{
	*s = (struct control_socket){.fd = -1};
	return open_in_folder(a, s);
}

/* A test may have removed it. */
static void
remove_name(struct arena *a, const char *path, struct diag *d)
{
	if (unlink(path) != 0 && !error_is_absence(errno))
		diag_warning(d, (struct place){.file = str_of(path)},
			"cannot be removed: %.*s", STR_ARG(loop_error_text(a, errno)));
}

/* Another run may have taken its place. */
static bool
is_own(const struct control_socket *s)
{
	struct stat st;

	return lstat(s->path, &st) != 0 || st.st_ino == s->inode;
}

void
control_socket_close(struct arena *a, const struct control_socket *s, struct diag *d)
{
	close(s->fd);
	if (s->link)
		remove_name(a, s->link, d);
	if (s->has_folder)
		scratch_folder_close(a, &s->folder);
	else if (is_own(s))
		remove_name(a, s->path, d);
}

static bool
is_of_this_user(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
		return false;
	errno = EPERM;
	return peer.uid == geteuid() || peer.uid == 0;
}

int
control_socket_accept(const struct control_socket *s)
{
	int fd;

	RETRY_EINTR(fd, accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	return fd < 0 || is_of_this_user(fd) ? fd : give_up(fd);
}

int
control_socket_peer(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 ? (int)peer.pid
								       : 0;
}

/* ---- for those who ask ----------------------------------------------------------- */

/* A path that is too long for an address is that of a link. */
static bool
find_address(const char *path, struct sockaddr_un *address)
{
	char target[sizeof address->sun_path];
	ssize_t n;

	if (make_address(path, address))
		return true;
	n = readlink(path, target, sizeof target - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return make_address(target, address);
}

int
control_connect(const char *path, int *pid)
{
	struct sockaddr_un address;
	struct ucred peer;
	socklen_t n = sizeof peer;
	int fd;

	if (!find_address(path, &address))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
		return give_up(fd);
	errno = EPERM;
	*pid = (int)peer.pid;
	return peer.uid == geteuid() || geteuid() == 0 ? fd : give_up(fd);
}

static void
take_path(struct arena *a, str_vec *paths, struct str line)
{
	struct str path = str_from(line, str_find(line, '/'));

	if (str_ends(path, STR("/" CONTROL_SOCKET)))
		VEC_PUSH(a, paths, str_dup(a, path));
}

/* /proc/net/unix has the path of each socket. */
bool
control_sockets(struct arena *a, struct str_list *paths)
{
	str_vec v = {0};
	struct str text, line;

	INVARIANT(paths);
	if (!file_read(a, "/proc/net/unix", &text))
		return false;
	while (str_take_line(&text, &line))
		take_path(a, &v, line);
	*paths = str_vec_list(&v);
	str_list_make_set(paths);
	return true;
}
