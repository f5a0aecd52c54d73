// Entry of the two commands that must work on a fresh machine: `node scripts/bootstrap.mjs <command>` installs the
// packages if they are missing or out of date, then runs scripts/<command>.ts on the Node.js that the project pins.
// Plain JavaScript without dependencies, because it runs before any are installed, on any Node.js of the machine.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = [20, 9];
/** Major version of Node.js that the scripts run on, the same as in .nvmrc and in the packages that contain Node.js. */
const PROJECT_NODE = 24;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isWindows = process.platform === 'win32';

/** @param {string} message */
function fail(message) {
  console.error(`\n${message}`);
  process.exit(1);
}

/** @param {string} path */
function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/**
 * The Node.js that the project pins: npm installs the package that contains it for this platform. If there is no such
 * package, or if it does not run (a system without glibc), the machine's own Node.js is used if it is new enough.
 * @returns {string | undefined}
 */
function findProjectNode() {
  const packages = ['node', 'node-bin'].map((prefix) =>
    join(root, 'node_modules', `${prefix}-${isWindows ? 'win' : process.platform}-${process.arch}`),
  );
  const pinned = packages.map((path) => join(path, 'bin', isWindows ? 'node.exe' : 'node'));
  const found = pinned.find((path) => spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0);
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= PROJECT_NODE;
  return found ?? (isNewEnough ? process.execPath : undefined);
}

/** Exits with a clear message if npm packages of this project do not support the running Node.js. */
function requireNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor < MINIMUM_NODE[1])) {
    fail(`Node.js ${MINIMUM_NODE.join('.')} or newer is needed to start; this is ${process.versions.node}.`);
  }
}

/** True if node_modules holds exactly what package-lock.json asks for, according to npm's own record of the install. */
function isInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  const present = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!wanted || !present) return false;
  const current = Object.entries(present).every(([path, entry]) => wanted[path]?.integrity === entry.integrity);
  const complete = Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || present[path]);
  return current && complete;
}

/**
 * @param {string[]} args
 * @returns {boolean} whether npm succeeded
 */
function npm(args) {
  return spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: isWindows }).status === 0;
}

function install() {
  if (!isInstalled()) {
    console.log('> Installing packages (about a minute, once)');
    if (!npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'])) fail('npm ci failed; its message is above.');
  }
}

/** @param {string[]} args script and arguments; this process exits with the script's exit status */
function runOnProjectNode(args) {
  const projectNode = findProjectNode();
  if (projectNode === undefined) {
    return fail(
      `npm has installed no Node.js ${PROJECT_NODE} for this platform. Install Node.js ${PROJECT_NODE} or newer, and try again.`,
    );
  }
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  // Replacing this process keeps its pid, so that a signal reaches the script and nothing else.
  if (typeof process.execve === 'function' && !isWindows) process.execve(projectNode, [projectNode, ...args], env);
  const child = spawn(projectNode, args, { stdio: 'inherit', env: { ...env, EXIT_WITH_PARENT: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

const [command, ...rest] = process.argv.slice(2);
/** Node.js flags for a server, as in `npm start`. */
const flags = readJson(join(root, 'package.json'))
  .scripts.start.split(' ')
  .filter((/** @type {string} */ word) => word.startsWith('--'));
requireNodeVersion();
install();
runOnProjectNode([...(command === 'quickstart' ? flags : []), join(root, 'scripts', `${command}.ts`), ...rest]);
