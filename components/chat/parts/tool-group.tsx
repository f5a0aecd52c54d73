import { useState } from 'react';
import { ToolPart } from '#components/chat/parts/tool-part';
import { strings } from '#lib/strings';
import type { ToolCall } from '#lib/chat/tool-call';

/** Of a long run of tool calls only so many are drawn until more are asked for. */
const VISIBLE_CALLS = 12;

/** Tool calls that follow each other without a word between them, as one list. */
export function ToolGroup({ calls }: { readonly calls: readonly ToolCall[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const hidden = showsAll ? 0 : Math.max(0, calls.length - VISIBLE_CALLS);
  return (
    <ul className="divide-y divide-rule overflow-hidden rounded-lg border border-rule bg-sheet font-sans">
      {hidden > 0 && (
        <li>
          <button
            type="button"
            onClick={() => setShowsAll(true)}
            className="w-full px-3 py-2 text-left text-sm text-ink-3 hover:text-ink"
          >
            {strings.transcript.earlierSteps(hidden)}
          </button>
        </li>
      )}
      {calls.slice(hidden).map((call) => (
        <ToolPart key={call.id} call={call} />
      ))}
    </ul>
  );
}
