/**
 * The page of `cosimo studio`.
 */
import { createRoot } from "react-dom/client";
import { attempt, begin } from "./session.ts";
import { App } from "./shell/app.tsx";
import "./styles/theme.css";
import "./styles/shell.css";
import "./styles/graph.css";
import "./styles/plots.css";

const root = document.getElementById("root");
if (!root) throw new Error("internal: the page has no root");
createRoot(root).render(<App />);
void attempt(begin);
