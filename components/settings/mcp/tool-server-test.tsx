import clsx from 'clsx';
import { CircleCheck, CircleX } from 'lucide-react';
import { useRef, useState } from 'react';
import { messageOf } from '#lib/message-of';
import { settingsStrings } from '#lib/strings/settings';
import type { McpTest } from '#server/core/mcp-servers';

const text = settingsStrings.toolServers;

/** A test that runs, and what came of the last one. */
export function useToolServerTest() {
  const [isTesting, setIsTesting] = useState(false);
  const [result, setResult] = useState<McpTest | null>(null);
  const changes = useRef(0);
  const run = async (ask: () => Promise<McpTest>) => {
    const before = changes.current;
    setIsTesting(true);
    setResult(null);
    const outcome = await ask().catch((error: unknown): McpTest => {
      return { ok: false, latencyMs: 0, tools: null, tokens: null, message: messageOf(error) };
    });
    setIsTesting(false);
    if (changes.current === before) setResult(outcome);
  };
  /** What is tested is different now: no outcome, nor one to come, is about it. */
  const forget = () => {
    changes.current += 1;
    setResult(null);
  };
  return { isTesting, result, run, forget };
}

/** Says it, also to who does not see it. */
export function TestOutcome({ result }: { readonly result: McpTest | null }) {
  const Icon = result?.ok ? CircleCheck : CircleX;
  return (
    <output aria-live="polite" className="block">
      {result && (
        <p
          data-ok={result.ok}
          className={clsx(
            'mt-3 flex items-start gap-2 rounded-md px-3 py-2 text-sm',
            result.ok ? 'bg-accent-wash text-ink' : 'bg-red-wash text-ink',
          )}
        >
          <Icon aria-hidden className={clsx('mt-0.5 size-4 shrink-0', result.ok ? 'text-accent' : 'text-red')} />
          <span className="min-w-0 flex-1 break-words whitespace-pre-line">
            {result.ok ? text.answers(result.tools ?? 0, result.tokens ?? 0) : result.message}
          </span>
          {result.ok && (
            <span className="shrink-0 text-ink-2 tabular-nums">
              {settingsStrings.providers.latency(result.latencyMs)}
            </span>
          )}
        </p>
      )}
    </output>
  );
}
