// Types of the one function of fs-native-extensions that is used; the package brings none.
declare module "fs-native-extensions" {
  /** Takes an exclusive lock on the whole open file, or returns false at once. */
  export function tryLock(fd: number): boolean;
}
