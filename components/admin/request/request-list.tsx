import { useCallback, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { RequestPiece } from '#components/admin/request/request-piece';
import { type RequestMatches, largestPiece } from '#lib/admin/request-search';
import { adminStrings } from '#lib/strings/admin';
import type { NextRequest, RequestMessage, RequestPart } from '#server/core/context-report';

const say = adminStrings.request;

interface RequestListProps {
  readonly request: NextRequest;
  readonly matches: RequestMatches;
  readonly query: string;
}

/** One line of the list. */
interface Piece {
  readonly key: string;
  readonly place: string;
  readonly name: string;
  readonly tokens: number;
  readonly parts: readonly RequestPart[];
}

/** Instructions, tools and messages that match, in the order of the request. Only what is in sight is rendered. */
export function RequestList({ request, matches, query }: RequestListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => {
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const largest = largestPiece(request);
  return (
    <div ref={frame} className="mt-4 max-h-[44rem] overflow-y-auto border-y border-rule-strong [overflow-anchor:none]">
      <Virtualizer as="ul" item="li" scrollRef={frame} bufferSize={600}>
        {piecesOf(request, matches).map((piece) => (
          <div key={piece.key} className="border-b border-rule">
            <RequestPiece
              place={piece.place}
              name={piece.name}
              tokens={piece.tokens}
              parts={piece.parts}
              share={piece.tokens / largest}
              query={query}
              isOpen={open.has(piece.key)}
              onToggle={() => toggle(piece.key)}
            />
          </div>
        ))}
      </Virtualizer>
    </div>
  );
}

function piecesOf(request: NextRequest, matches: RequestMatches): readonly Piece[] {
  const { instructions, tools } = request;
  return [
    ...(matches.instructions
      ? [fixedPiece('instructions', say.instructions, instructions.text, instructions.tokens)]
      : []),
    ...(matches.tools
      ? [
          fixedPiece(
            'tools',
            `${say.tools} · ${say.toolCount(tools.names.length)}`,
            tools.names.join(', '),
            tools.tokens,
          ),
        ]
      : []),
    ...matches.messages.map(({ position, message }) => ({
      key: String(position),
      place: adminStrings.number(position),
      name: nameOf(message),
      tokens: message.tokens,
      parts: message.parts,
    })),
  ];
}

function fixedPiece(key: string, name: string, text: string, tokens: number): Piece {
  const part = { type: 'text', toolName: null, text, characters: text.length, tokens, isCleared: false };
  return { key, place: '', name, tokens, parts: [part] };
}

function nameOf(message: RequestMessage): string {
  return message.isSummary ? say.summary : say.roles[message.role];
}
