// A message that is not taken, and what Croft is told about it.

/**
 * Thrown by a handler to choose the answer. 422: this cannot be kept; Croft divides the message until the file to blame is
 * alone. 503: not now. Everything else that is thrown is a 500, and the message comes again.
 */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.headers = headers;
  }
}

/** Chunks are missing: Croft goes on with this one. */
export function resumeFrom(index: number): Refusal {
  return new Refusal(409, `chunk ${index} is missing`, { "croft-resume-from": String(index) });
}
