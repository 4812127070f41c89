// A project with three job types of its own. Start Croft in this directory, and they are there.
import { defineConfig } from "croft";
import { book } from "./book.ts";
import { build } from "./build.ts";
import { page } from "./page.ts";

export default defineConfig({ handlers: { page, book, build } });
