// Only what a stream would begin with: nothing is followed, and no place is taken.
import type { FastifyReply } from "fastify";

export async function answerHead(reply: FastifyReply): Promise<FastifyReply> {
  reply.type("text/event-stream; charset=utf-8").header("cache-control", "no-store");
  return await reply.send();
}
