// Entry of the two commands that must work on a fresh machine: `node scripts/bootstrap.mjs <command>` installs the
// packages when they are missing or out of date, then runs scripts/<command>.ts on the Node.js that the project pins.
// Plain JavaScript without dependencies, because it runs before there are any, on whatever Node.js the machine has.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = [20, 9];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isWindows = process.platform === 'win32';
const projectNode = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');

/** @param {string} message */
function fail(message) {
  console.error(`\n${message}`);
  process.exit(1);
}

/** @param {string} path */
function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Ends with a clear message on a Node.js that npm packages of this project refuse. */
function requireNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor < MINIMUM_NODE[1])) {
    fail(`Node.js ${MINIMUM_NODE.join('.')} or newer is needed to start; this is ${process.versions.node}.`);
  }
}

/** Whether node_modules holds exactly what package-lock.json asks for, judged by npm's own record of the install. */
function isInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  const present = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!wanted || !present) return false;
  const current = Object.entries(present).every(([path, entry]) => wanted[path]?.integrity === entry.integrity);
  const complete = Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || present[path]);
  return current && complete;
}

/** Whether the pinned Node.js is there and runs; its package fetches the binary in an install script. */
function projectNodeRuns() {
  return spawnSync(projectNode, ['--version'], { stdio: 'ignore' }).status === 0;
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
  if (projectNodeRuns()) return;
  console.log('> Fetching the Node.js version that this project pins');
  // npm may have been told to skip install scripts; this one is needed.
  npm(['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts']);
  if (!projectNodeRuns()) fail(`The pinned Node.js is missing at ${projectNode}. Delete node_modules and try again.`);
}

/** @param {string[]} args script and arguments; this process ends as the script ends */
function runOnProjectNode(args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  // Replacing this process keeps its pid, so that a signal reaches the script and nothing else.
  if (typeof process.execve === 'function' && !isWindows) process.execve(projectNode, [projectNode, ...args], env);
  const child = spawn(projectNode, args, { stdio: 'inherit', env: { ...env, EXIT_WITH_PARENT: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

const [command, ...rest] = process.argv.slice(2);
requireNodeVersion();
install();
runOnProjectNode([join(root, 'scripts', `${command}.ts`), ...rest]);
