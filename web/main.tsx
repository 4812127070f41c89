// Starts the dashboard in the browser.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, assembleApp } from "./app.tsx";
import { takeSetupToken } from "./setup-token.ts";
import "./style.css";

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no element with the id `root`");

// Before the router reads the address: the token must not stay in it.
const props = assembleApp(takeSetupToken());
createRoot(element).render(
  <StrictMode>
    <App {...props} />
  </StrictMode>,
);
