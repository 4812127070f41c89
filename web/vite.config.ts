// How the dashboard is built, and where the development server finds the API.
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = "http://127.0.0.1:4747";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  // Nothing is inlined as a data: URL: the content security policy allows that for images only.
  build: { outDir: "dist", emptyOutDir: true, assetsDir: "assets", assetsInlineLimit: 0 },
  // With the slash: `/api` alone would also take the module `/api.ts`.
  server: { host: "127.0.0.1", proxy: { "/api/": api, "/admin/api/": api } },
});
