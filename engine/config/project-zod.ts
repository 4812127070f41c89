// The `z` that projects import from "croft", in one file: as its 250 it took a process of handlers 24 ms more to start.
export { z } from "zod";
