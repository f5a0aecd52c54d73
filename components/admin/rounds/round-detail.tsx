import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import useSWR from 'swr';
import { ScrollBox } from '#components/admin/scroll-box';
import { TextPart } from '#components/chat/parts/text-part';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { recordName } from '#lib/admin/compaction-words';
import { api, paths } from '#lib/api/api-client';
import { messageOf } from '#lib/ui/message-of';
import { adminStrings } from '#lib/strings/admin';
import type { CompactionRecord } from '#server/core/compactions';
import type { CompactionDetail } from '#server/core/context-report';

const say = adminStrings.rounds;
/** Entries of a list that are shown at first. */
const FEW = 8;

interface RoundDetailProps {
  readonly sessionId: string;
  readonly record: CompactionRecord;
  readonly onChanged: () => void;
}

/** All that one round made and kept. Read anew whenever the record changes. */
export function RoundDetail({ sessionId, record, onChanged }: RoundDetailProps) {
  const { data, error, mutate } = useSWR<CompactionDetail>(paths.compaction(sessionId, record.id));
  if (data === undefined) {
    if (error === undefined) return <p className="pb-6 pl-9 text-sm text-ink-3">{say.loading}</p>;
    return <Notice title={say.failed} action={{ label: say.retry, run: () => void mutate() }} />;
  }
  const canUndo = data.canUndo && record.status === 'completed';
  const changed = () => {
    void mutate();
    onChanged();
  };
  const { summary, kept, cleared } = data;
  return (
    <div className="grid animate-rise gap-x-12 gap-y-8 pt-2 pb-10 pl-9 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">
        {summary && (
          <Block title={say.summary}>
            <ScrollBox
              label={say.summary}
              className="max-h-[40rem] rounded-lg border border-rule bg-sheet px-5 py-4 [&_.manuscript]:text-base"
            >
              <TextPart text={summary.text} isOpen={false} />
            </ScrollBox>
          </Block>
        )}
        {!summary && cleared.length > 0 && <Cleared detail={data} />}
        {canUndo && <UndoButton sessionId={sessionId} record={record} onChanged={changed} />}
      </div>
      <div className="flex min-w-0 flex-col gap-8">
        {summary && (
          <>
            <Block title={say.ledger} hint={say.ledgerHint}>
              <Lines lines={summary.ledger} />
            </Block>
            <Block title={say.userWords} hint={say.userWordsHint}>
              <Lines lines={summary.userWords} isQuote />
            </Block>
          </>
        )}
        {summary && cleared.length > 0 && <Cleared detail={data} />}
        {kept.length > 0 && (
          <Block title={say.kept}>
            <Lines lines={kept.map((message) => `${adminStrings.request.roles[message.role]}: ${message.preview}`)} />
          </Block>
        )}
      </div>
    </div>
  );
}

function Cleared({ detail }: { readonly detail: CompactionDetail }) {
  return (
    <Block title={say.cleared}>
      <Lines
        lines={detail.cleared.map((output) => `${output.toolName}: ${adminStrings.request.tokens(output.tokens)}`)}
      />
    </Block>
  );
}

interface BlockProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

function Block({ title, hint, children }: BlockProps) {
  return (
    <section>
      <h4 className="text-sm font-medium">
        {title}
        {hint !== undefined && <span className="ml-2 font-normal text-ink-3">{hint}</span>}
      </h4>
      <div className="mt-2">{children}</div>
    </section>
  );
}

function Lines({ lines, isQuote = false }: { readonly lines: readonly string[]; readonly isQuote?: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  if (lines.length === 0) return <p className="text-sm text-ink-3">{say.none}</p>;
  const shown = isWhole ? lines : lines.slice(0, FEW);
  return (
    <>
      <ul className="text-sm text-ink-2">
        {shown.map((line, index) => (
          <li
            key={index}
            className={
              isQuote
                ? 'mb-2 line-clamp-6 border-l-2 border-rule-strong pl-3 font-serif text-base text-ink [overflow-wrap:anywhere]'
                : 'line-clamp-3 border-t border-rule py-1.5 [overflow-wrap:anywhere] first:border-t-0'
            }
          >
            {line}
          </li>
        ))}
      </ul>
      {!isWhole && lines.length > FEW && (
        <button
          type="button"
          onClick={() => setIsWhole(true)}
          className="mt-1 text-sm text-accent underline underline-offset-3"
        >
          {say.more(lines.length - FEW)}
        </button>
      )}
    </>
  );
}

function UndoButton({ sessionId, record, onChanged }: RoundDetailProps) {
  const [isBusy, setIsBusy] = useState(false);
  const undo = async () => {
    setIsBusy(true);
    try {
      await api.undoCompaction(sessionId, record.id);
      toast(adminStrings.actions.undone(recordName(record)));
    } catch (error) {
      toast.error(adminStrings.actions.failed(messageOf(error)));
    } finally {
      setIsBusy(false);
      onChanged();
    }
  };
  return (
    <Button
      className="mt-5"
      disabled={isBusy}
      aria-label={say.undoLabel(recordName(record))}
      onClick={() => void undo()}
    >
      {say.undo}
    </Button>
  );
}
