import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { McpTransport } from '#server/core/admin/mcp-servers';
import { ToolError } from '#server/core/errors';
import type { Variables } from '#server/integrations/mcp-client/transport-secrets';

/** Environment variables that programs inherit. They inherit no others, because our environment contains keys. */
const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER', 'SYSTEMROOT', 'APPDATA'];

/** Maximum characters of a line. A program that writes longer ones does not speak the protocol, and is ended. */
const MAX_LINE = 32_000_000;
/** Characters of a program's last error output that are kept for the message about its end. */
const MAX_LAST_OUTPUT = 1_000;

/** Time from the end of a program's input until it gets SIGTERM; milliseconds. */
const TERMINATE_AFTER_MS = 300;
/** Time from the end of a program's input until it gets SIGKILL; milliseconds. */
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
  readonly #onDeath: (why: ServerText) => void;
  readonly #inherited: Record<string, string>;
  #process: ChildProcessWithoutNullStreams | null = null;
  #lastOutput = '';
  #isClosing = false;
  #died: ServerText | null = null;

  /** @param onDeath called when the program ends unexpectedly, with the reason for display */
  constructor(program: Program, variables: Variables, onDeath: (why: ServerText) => void) {
    this.#program = program;
    this.#onDeath = onDeath;
    this.#inherited = Object.fromEntries(
      INHERITED.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])),
    );
  }

  /** Reason why the program ended unexpectedly, for display; else null. */
  get died(): ServerText | null {
    return this.#died;
  }

  /** Starts the program. @throws ToolError if it cannot be run */
  async start(): Promise<void> {
    const { command, args, env } = this.#program;
    const child = spawn(/* turbopackIgnore: true */ command, args, {
      env: { ...this.#inherited, ...env } as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'pipe'],
      // In a separate process group: the server may be a child of the started program (npx, a shell), and must end too.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#process = child;
    this.#read(child);
    try {
      await once(child, 'spawn');
    } catch (error) {
      this.#process = null;
      const reason = (error as Error).message;
      throw new ToolError(serverText('tool-program-not-started', { command, reason }), { cause: error });
    }
    child.on('error', (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process) throw new ToolError(this.#died ?? serverText('tool-program-not-running'));
    this.#process.stdin.write(serializeMessage(message));
  }

  /** Ends the program, and waits for its end. */
  async close(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    this.#isClosing = true;
    const exited = once(child, 'exit');
    child.stdin.end();
    const terminate = setTimeout(() => signalAll(child, 'SIGTERM'), TERMINATE_AFTER_MS);
    const kill = setTimeout(() => signalAll(child, 'SIGKILL'), KILL_AFTER_MS);
    if (child.exitCode === null && child.signalCode === null) await exited;
    clearTimeout(terminate);
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
      this.#lastOutput = (this.#lastOutput + bytes.toString('utf8')).slice(-MAX_LAST_OUTPUT);
    });
    // The exit of a program is detected by its own event; stream errors add no information.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('close', (code, signal) => this.#end(this.#describeEnd(code, signal)));
    // A child process may hold the output open.
    child.on('exit', (code, signal) => {
      setTimeout(() => this.#end(this.#describeEnd(code, signal)), TERMINATE_AFTER_MS).unref();
    });
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // Some programs print a greeting.
      this.onerror?.(error as Error);
    }
  }

  #describeEnd(code: number | null, signal: NodeJS.Signals | null): ServerText {
    const output = this.#lastOutput.trim() || null;
    return serverText('tool-program-ended', { status: String(code), signal, output });
  }

  #end(why: ServerText | null): void {
    if (!this.#process) return;
    // Also ends the processes that it started.
    signalAll(this.#process, 'SIGKILL');
    this.#process = null;
    if (!this.#isClosing && why !== null) {
      this.#died = why;
      this.#onDeath(why);
    }
    this.onclose?.();
  }
}

/** Sends a signal to a program and all processes that it started. */
function signalAll(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // All of them have ended, or this system has no process groups.
    child.kill(signal);
  }
}
