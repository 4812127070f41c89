// The process that draws one diagram: the question comes as JSON on its input, the answer goes to its output.
import { text } from "node:stream/consumers";
import { type DiagramAnswer, type DiagramQuestion, drawDiagram } from "./draw-diagram.ts";

const question = JSON.parse(await text(process.stdin)) as DiagramQuestion;
const answer: DiagramAnswer = await drawDiagram(question);
process.stdout.write(JSON.stringify(answer));
