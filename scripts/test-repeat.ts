import { browserStage, buildStage, runStage } from '#scripts/lib/tests/stage';

/* Runs the browser tests ten times (or as often as the argument says) and lists each test that ever failed. */

const times = Number(process.argv[2] ?? 10);
if (!Number.isInteger(times) || times < 1) throw new Error('The argument is the number of runs, for example 10.');

/** Failures of each test, by its file and name. */
const failed = new Map<string, number>();
const built = await runStage(buildStage);
for (let run = 1; built.ok && run <= times; run += 1) {
  console.log(`Run ${run} of ${times}`);
  const { flaky, failures } = await runStage(browserStage());
  for (const text of [...flaky, ...failures]) {
    const [name = text] = text.split('\n', 1);
    failed.set(name, (failed.get(name) ?? 0) + 1);
  }
}
for (const [name, count] of failed) console.log(`${count} of ${times}  ${name}`);
console.log(failed.size === 0 ? `No test failed in ${times} runs.` : `${failed.size} tests are flaky.`);
process.exitCode = built.ok && failed.size === 0 ? 0 : 1;
