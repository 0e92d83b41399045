/** The reason and the remedy for each error code of the system about a file. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOENT: ['there is no such file or directory', 'Check the path'],
  EEXIST: ['another file has its name', 'Give another name'],
  ENOTDIR: ['a part of its path is not a directory', 'Check the path'],
  EISDIR: ['it is a directory', 'Name a file'],
  ENOTEMPTY: ['its directory is not empty', 'Give another name'],
  EACCES: [
    'this user is not allowed to',
    'Run this as a user with permission, or change the owner or the mode',
  ],
  EPERM: [
    'this user is not allowed to',
    'Run this as a user with permission, or change the owner or the mode',
  ],
  EROFS: [
    'its file system is read-only',
    'Give a path on another file system, or mount this one so that it can be written to',
  ],
  ENOSPC: ['the disk is full', 'Free space on it, then try again'],
  EDQUOT: ["this user's quota is used up", 'Remove files of this user, or raise the quota'],
  EFBIG: [
    'this user is not allowed to write a file this large',
    'Raise the limit (`ulimit -f`), or use a file system for larger files',
  ],
  ENAMETOOLONG: ['the name is too long', 'Give a shorter name'],
  ELOOP: ['its symbolic links form a loop', 'Correct the links'],
  EXDEV: ['it is on another file system', 'Give a path on the same file system'],
  EBUSY: ['the system is using it', 'Give another path, or stop the program that uses it'],
  ETXTBSY: ['it is a program that is running', 'Give another path, or stop the program'],
  EMFILE: [
    'this process has too many files open',
    'Raise the limit of open files (`ulimit -n`, or LimitNOFILE of the service)',
  ],
  ENFILE: ['the system has too many files open', 'Stop other programs, or raise fs.file-max of the system'],
  EIO: ['the disk reports an error', 'Check the system log'],
  ESTALE: ['its network file system no longer knows it', 'Mount the file system again'],
}

/** Returns the reason and the remedy for an error of `node:fs`, to put between "cannot be read: " and a full stop. */
export function systemReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return (
    systemRefusal(error)?.join('. ') ??
    (code === undefined ? 'the system gives no reason' : `the system reports ${code}`)
  )
}

/** Returns reason and remedy separately; undefined for an unknown code. */
export function systemRefusal(error: unknown): readonly [reason: string, remedy: string] | undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined
}
