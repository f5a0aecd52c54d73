import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpTransport } from '#server/core/mcp-servers';
import { ToolError } from '#server/core/errors';
import type { Variables } from '#server/mcp/environment';

/** Variables passed on to programs. They get no others: our environment holds keys. */
const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER', 'SYSTEMROOT', 'APPDATA'];

/** Longest line, characters; a program that writes more does not speak the protocol. */
const MAX_LINE = 32_000_000;
/** Characters of its error output kept for the message that says why it ended. */
const MAX_LAST_WORDS = 1_000;

/** Time after the end of its input until a program gets SIGTERM, then SIGKILL; milliseconds. */
const ASK_AFTER_MS = 300;
const KILL_AFTER_MS = 2_000;

type Program = Extract<McpTransport, { type: 'stdio' }>;

/**
 * Transport for a tool server that is a program: one JSON message per line on standard input and output.
 *
 * The SDK's own transport does not wait for the end of the process, cannot stop one that ignores SIGTERM, and does not
 * report its last error output.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: Program;
  readonly #onDeath: (why: string) => void;
  readonly #inherited: Record<string, string>;
  #process: ChildProcessWithoutNullStreams | null = null;
  #lastWords = '';
  #isClosing = false;
  #died: string | null = null;

  /** @param onDeath called when the program ends by itself, with the reason for a person */
  constructor(program: Program, variables: Variables, onDeath: (why: string) => void) {
    this.#program = program;
    this.#onDeath = onDeath;
    this.#inherited = Object.fromEntries(
      INHERITED.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])),
    );
  }

  /** Reason for which the program ended by itself, for a person; else null. */
  get died(): string | null {
    return this.#died;
  }

  /** @throws ToolError if the program cannot be run */
  async start(): Promise<void> {
    const { command, args, env } = this.#program;
    const child = spawn(/* turbopackIgnore: true */ command, args, {
      env: { ...this.#inherited, ...env } as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'pipe'],
      // In a process group of its own: the server may be a child of what was started (npx, a shell), and must end too.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#process = child;
    this.#read(child);
    try {
      await once(child, 'spawn');
    } catch (error) {
      this.#process = null;
      throw new ToolError(`The program "${command}" cannot be run: ${(error as Error).message}.`, { cause: error });
    }
    child.on('error', (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process) throw new ToolError(this.#died ?? 'The program does not run.');
    this.#process.stdin.write(serializeMessage(message));
  }

  /** Ends the program, and waits for its end. */
  async close(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    this.#isClosing = true;
    const gone = once(child, 'exit');
    child.stdin.end();
    const ask = setTimeout(() => signalAll(child, 'SIGTERM'), ASK_AFTER_MS);
    const kill = setTimeout(() => signalAll(child, 'SIGKILL'), KILL_AFTER_MS);
    if (child.exitCode === null && child.signalCode === null) await gone;
    clearTimeout(ask);
    clearTimeout(kill);
    child.stdout.destroy();
    child.stderr.destroy();
    this.#end(null);
  }

  #read(child: ChildProcessWithoutNullStreams): void {
    const decoder = new StringDecoder('utf8');
    let line = '';
    child.stdout.on('data', (bytes: Buffer) => {
      const pieces = decoder.write(bytes).split('\n');
      const rest = pieces.pop() ?? '';
      for (const piece of pieces) {
        this.#receive(line + piece);
        line = '';
      }
      line += rest;
      if (line.length > MAX_LINE) signalAll(child, 'SIGKILL');
    });
    child.stderr.on('data', (bytes: Buffer) => {
      this.#lastWords = (this.#lastWords + bytes.toString('utf8')).slice(-MAX_LAST_WORDS);
    });
    // The end of a program is noticed by its exit; errors of its streams add nothing.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('close', (code, signal) => this.#end(this.#obituary(code, signal)));
    // A child process may hold its output open.
    child.on('exit', (code, signal) => {
      setTimeout(() => this.#end(this.#obituary(code, signal)), ASK_AFTER_MS).unref();
    });
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // Programs that print greetings exist.
      this.onerror?.(error as Error);
    }
  }

  #obituary(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const lastWords = this.#lastWords.trim();
    return `The program ended ${how}.${lastWords === '' ? '' : ` Its last words: ${lastWords}`}`;
  }

  #end(why: string | null): void {
    if (!this.#process) return;
    // Ends the processes it has started, too.
    signalAll(this.#process, 'SIGKILL');
    this.#process = null;
    if (!this.#isClosing && why !== null) {
      this.#died = why;
      this.#onDeath(why);
    }
    this.onclose?.();
  }
}

/** Signals a program and all processes it has started. */
function signalAll(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // None of them is left, or this system has no process groups.
    child.kill(signal);
  }
}
