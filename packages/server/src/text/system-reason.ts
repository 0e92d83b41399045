/** What the system says about a file that it refused, by its code: what is wrong, and what to do. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOENT: ['there is no such file or directory', 'Check the path'],
  EEXIST: ['something else has its name', 'Give another name'],
  ENOTDIR: ['a part of its path is not a directory', 'Check the path'],
  EISDIR: ['it is a directory', 'Name a file'],
  ENOTEMPTY: ['its directory is not empty', 'Give another name'],
  EACCES: ['this user is not allowed to', 'Run this as a user who is, or change the owner or the mode'],
  EPERM: ['this user is not allowed to', 'Run this as a user who is, or change the owner or the mode'],
  EROFS: [
    'its file system is read-only',
    'Give a path on another one, or mount it so that it can be written to',
  ],
  ENOSPC: ['the disk is full', 'Free space on it, then try again'],
  EDQUOT: ["this user's quota is used up", 'Remove files of this user, or raise the quota'],
  EFBIG: [
    'this user may not make a file as large',
    'Raise the limit (`ulimit -f`), or use a file system for larger files',
  ],
  ENAMETOOLONG: ['the name is too long', 'Give a shorter one'],
  ELOOP: ['its symbolic links go in a circle', 'Correct the links'],
  EXDEV: ['it is on another file system', 'Give a path on the same one'],
  EBUSY: ['the system uses it for something else', 'Give another path, or end what uses it'],
  ETXTBSY: ['it is a program that is running', 'Give another path, or end the program'],
  EMFILE: [
    'this process has too many files open',
    'Raise the limit of open files (`ulimit -n`, or LimitNOFILE of the service)',
  ],
  ENFILE: ['the system has too many files open', 'End programs, or raise fs.file-max of the system'],
  EIO: ['the disk reports an error', 'Look at the log of the system'],
  ESTALE: ['its network file system no longer knows it', 'Mount that again'],
}

/**
 * What is wrong and what to do, in words that go after "cannot be read: " and before a full stop. For an error of
 * `node:fs`.
 */
export function systemReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return (
    systemRefusal(error)?.join('. ') ??
    (code === undefined ? 'the system gives no reason' : `the system reports ${code}`)
  )
}

/** The same apart, for a code that is known. */
export function systemRefusal(error: unknown): readonly [reason: string, remedy: string] | undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined
}
