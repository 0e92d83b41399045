/** Why the system refused a file, in words that go after "cannot be read: ". */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EEXIST: 'something else has its name',
  ENOTDIR: 'a part of its path is not a directory',
  EISDIR: 'it is a directory',
  EACCES: 'this user is not allowed to',
  EPERM: 'this user is not allowed to',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's quota is used up",
  EFBIG: 'this user may not make a file as large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links go in a circle',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
  EIO: 'the disk reports an error',
}

/** For an error of `node:fs`. */
export function systemReason(error: unknown): string {
  const { code = 'for a reason it does not give' } = error as NodeJS.ErrnoException
  return REASONS[code] ?? code
}
