import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { type Mutant, mutantsOf } from '#tests/mutation/mutants';
import { randomNumbers } from '#tests/support/random-numbers';

const USAGE = `npm run test:mutation -- [--count N] [--seed N] [--room server/context] [--file part/of/a/path] [--lanes N]

Makes small faults in server/context, server/agent and server/content, one at a time, and sees whether a unit test fails.
  --count N   how many of all that could be made (default: 1500)
  --seed N    which of them (default: 16)
  --room DIR  only in this folder
  --file PART only in files with this in their path
  --lanes N   test runs side by side (default: one for each core)
The report is .cache/mutation.json; exit code 1 when a run of the tests without a fault fails.`;

const ROOMS = ['server/context', 'server/agent', 'server/content'];
/** A fault may make a loop endless: a run ends after so many times what one without a fault takes, and a minute. */
const PATIENCE = 3;
const LEAST_PATIENCE_MS = 60_000;

interface Tried extends Mutant {
  /** `survived`: no test of the room, and no other unit test that imports the file, fails. */
  readonly outcome: 'killed' | 'survived';
}

/** Whether these tests pass within a time (milliseconds; 0: however long), with a fault in one of the files. */
function passes(args: readonly string[], timeout: number, mutant?: Mutant): Promise<boolean> {
  const vitest = projectPath('node_modules/.bin/vitest');
  const quick = ['--run', '--project', 'unit', '--bail', '1', '--passWithNoTests', '--maxWorkers', '1'];
  const child = spawn(vitest, [...args, ...quick], {
    cwd: projectPath('.'),
    env: { ...process.env, ...(mutant && { MUTANT: JSON.stringify(mutant) }) },
    stdio: 'ignore',
    timeout,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => void child.once('close', (code) => resolve(code === 0)));
}

const roomOf = ({ file }: Mutant) => ROOMS.find((room) => file.startsWith(`${room}/`)) ?? 'server';

/** The tests beside the file are tried first, then those of its room: mostly they find it. */
async function isKilled(mutant: Mutant, timeout: number): Promise<boolean> {
  const beside = mutant.file.replace(/\.ts$/, '.test.ts');
  const related = ['related', mutant.file];
  const attempts = [[...related, '--dir', roomOf(mutant)], related];
  if (existsSync(projectPath(beside))) attempts.unshift([beside]);
  for (const args of attempts) if (!(await passes(args, timeout, mutant))) return true;
  return false;
}

function sample(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = randomNumbers(seed);
  const drawn = all.map((mutant) => ({ mutant, at: random() })).toSorted((a, b) => a.at - b.at);
  return drawn.slice(0, count).map(({ mutant }) => mutant);
}

const percent = (tried: readonly Tried[]) =>
  `${tried.filter(({ outcome }) => outcome === 'killed').length} of ${tried.length} killed`;

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { count: text, seed: text, room: text, file: text, lanes: text, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  const { room, file: part = '' } = values;
  const [count, seed] = [Number(values.count ?? 1_500), Number(values.seed ?? 16)];
  const rooms = room === undefined ? ROOMS : [room];
  const files = globSync(
    rooms.map((each) => `${each}/**/*.ts`),
    { cwd: projectPath('.') },
  )
    .filter((file) => !file.endsWith('.test.ts') && file.includes(part))
    .toSorted();
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(projectPath(file), 'utf8')));
  const mutants = sample(all, count, seed);
  console.log(`${mutants.length} of ${all.length} faults in ${files.length} files, seed ${seed}`);
  const start = performance.now();
  const isSound = await passes(['related', ...new Set(mutants.map(({ file }) => file))], 0);
  if (!isSound) throw new Error('A unit test fails without any fault: mend that first.');
  const timeout = LEAST_PATIENCE_MS + Math.ceil(PATIENCE * (performance.now() - start));

  const tried: Tried[] = [];
  const rest = mutants.values();
  const lane = async () => {
    for (const mutant of rest) {
      const outcome = (await isKilled(mutant, timeout)) ? 'killed' : 'survived';
      tried.push({ ...mutant, outcome });
      const { file, line, kind, text: by } = mutant;
      if (outcome === 'survived') console.log(`survived: ${file}:${line} ${kind} → ${by.slice(0, 60)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.lanes ?? availableParallelism()) }, lane));

  for (const each of rooms) console.log(`${each}: ${percent(tried.filter((mutant) => roomOf(mutant) === each))}`);
  console.log(percent(tried));
  mkdirSync(projectPath('.cache'), { recursive: true });
  writeFileSync(projectPath('.cache/mutation.json'), `${JSON.stringify({ seed, count, tried }, null, 2)}\n`);
}

try {
  await main();
} catch (error) {
  exitWithMessage(error);
}
