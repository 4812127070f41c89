// Types of what is used of fs-native-extensions; the package brings none.
declare module "fs-native-extensions" {
  /** Takes a lock on a range of the open file (length 0: to its end), or returns false at once. */
  export function tryLock(
    fd: number,
    offset?: number,
    length?: number,
    options?: { shared?: boolean },
  ): boolean;
  export function unlock(fd: number, offset?: number, length?: number): void;
}
