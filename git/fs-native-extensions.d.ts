// Types of what is used of fs-native-extensions; the package brings none.
declare module "fs-native-extensions" {
  /** Takes an exclusive lock on the whole open file, or returns false at once. */
  export function tryLock(fd: number): boolean;
  export function unlock(fd: number): void;
}
