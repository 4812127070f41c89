// An answer of a fake GitHub that is not what was asked for.

export class FakeError extends Error {
  override readonly name = "FakeError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export const notFound = () => new FakeError(404, "Not Found");
