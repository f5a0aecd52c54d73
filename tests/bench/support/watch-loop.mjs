import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a server that is measured (`node --import`): answers on WATCH_PORT with the longest time that its event loop
 * was blocked since it was asked before, in milliseconds, and collects garbage, so that the next measurement begins afresh.
 * It is the processor time of the main thread between two turns of the loop: other programs on the machine do not count.
 */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const TICK_MS = 5;
let before = cpuMs();
let longest = 0;

function cpuMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

if (process.env.WATCH_PORT) {
  setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, TICK_MS).unref();
  createServer((_, response) => {
    response.end(String(Math.max(longest, cpuMs() - before)));
    collect();
    // The collection is not the server's work.
    before = cpuMs();
    longest = 0;
  })
    .listen(Number(process.env.WATCH_PORT), '127.0.0.1')
    .unref();
}
