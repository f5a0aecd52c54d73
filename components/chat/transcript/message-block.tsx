import clsx from 'clsx';
import { memo, useState } from 'react';
import { translator } from '#components/i18n.ts';
import type { MessageBlock, UserWords } from '#components/chat/parts/message-blocks.ts';
import { field, textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { CompactionLine } from '#components/chat/transcript/compaction-line';
import { FileList, FilePart } from '#components/chat/transcript/file-part';
import { Markdown } from '#components/chat/transcript/markdown';
import { ApprovalPart } from '#components/chat/transcript/approval-part';
import { ShownPart } from '#components/chat/transcript/part-views';
import { ToolPart } from '#components/chat/transcript/tool-part';
import { Disclosure } from '#components/ui/controls/disclosure';

const t = translator('transcript');

interface MessageBlockViewProps {
  readonly block: MessageBlock;
  readonly answer: string | null;
  readonly isLive: boolean;
}

/** Renders one block of an answer. */
export function MessageBlockView({ block, answer, isLive }: MessageBlockViewProps) {
  switch (block.kind) {
    case 'text':
      return <Markdown text={block.text} isOpen={isLive && block.isOpen} />;
    case 'reasoning':
      return <ReasoningPart text={block.text} />;
    case 'tools':
      return <ToolGroup calls={block.calls} />;
    case 'approval':
      return <ApprovalPart calls={block.calls} isLive={isLive} />;
    case 'question':
      return <QuestionPart call={block.call} answer={answer} />;
    case 'compaction':
      return <CompactionLine compaction={block.compaction} />;
    case 'file':
      return <FilePart {...block} />;
    case 'note':
      return (
        <article aria-label={t('you')} className="flex flex-col gap-4">
          <UserNote {...block.words} />
        </article>
      );
    case 'part':
      return <ShownPart part={block.part} />;
  }
}

/** The user's message as a note in the margin. Several that were sent together are shown as they were typed. */
export function UserNote({ text, originals, files }: UserWords) {
  return (
    <>
      <div className={clsx('border-l-2 border-accent pl-4', text === '' && 'sr-only')}>
        <span className="sr-only">{t('you')}: </span>
        {originals ? <Originals texts={originals} /> : <Words text={text} />}
      </div>
      <FileList files={files} />
    </>
  );
}

function Originals({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      <ol aria-label={t('sentTogether', { count: texts.length })} className="divide-y divide-rule">
        {texts.map((text, index) => (
          <li key={index} className="py-1.5 first:pt-0 last:pb-0">
            <Words text={text} />
          </li>
        ))}
      </ol>
      <p aria-hidden className="mt-1 text-xs text-ink-3">
        {t('sentTogether', { count: texts.length })}
      </p>
    </>
  );
}

function Words({ text }: { readonly text: string }) {
  return <p className="text-base leading-relaxed font-medium [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>;
}

interface QuestionPartProps {
  readonly call: ToolCall;
  /** The user's answer; null while the question is open. */
  readonly answer: string | null;
}

/** A question of the assistant, with its suggested answers as buttons. */
function QuestionPart({ call, answer }: QuestionPartProps) {
  const actions = useChatActions();
  const options = field(call.input, 'options');
  const choices = Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [];
  return (
    <section className="rounded-lg border border-rule-strong bg-sheet px-4 py-3">
      <p className="font-serif text-lg">{textField(call.input, 'question')}</p>
      {choices.length > 0 && (
        <div className="mt-3 flex flex-wrap gap-2">
          {choices.map((choice) => (
            <button
              key={choice}
              type="button"
              disabled={answer !== null || call.state === 'running'}
              aria-pressed={answer === choice}
              onClick={() => actions.answer(choice)}
              className={clsx(
                'rounded-full border px-3.5 py-1.5 text-sm transition-colors',
                answer === choice
                  ? 'border-accent bg-accent text-accent-ink'
                  : 'border-rule-strong enabled:hover:border-accent enabled:hover:text-accent disabled:text-ink-3',
              )}
            >
              {choice}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

/** Reasoning before the answer, folded. */
const ReasoningPart = memo(function ReasoningPart({ text }: { readonly text: string }) {
  return (
    <div className="font-sans text-sm text-ink-2">
      <Disclosure title={t('reasoning')} look="quiet">
        <p className="mt-1 border-l border-rule-strong pl-3 whitespace-pre-wrap">{text}</p>
      </Disclosure>
    </div>
  );
});

/** Number of tool calls of a long sequence drawn at first. A choice, not measured. */
const VISIBLE_CALLS = 12;

/** Consecutive tool calls without text between them, as one list. */
function ToolGroup({ calls }: { readonly calls: readonly ToolCall[] }) {
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
            {t('earlierSteps', { count: hidden })}
          </button>
        </li>
      )}
      {calls.slice(hidden).map((call) => (
        <ToolPart key={call.id} call={call} />
      ))}
    </ul>
  );
}
