import clsx from 'clsx';
import { useChatActions } from '#components/chat/chat-actions';
import { field, textField } from '#lib/chat/tool-call';
import type { ToolCall } from '#lib/chat/tool-call';

interface QuestionPartProps {
  readonly call: ToolCall;
  /** What the user answered; null while the question is open. */
  readonly answer: string | null;
}

/** A question of the assistant, with its suggested answers as buttons. */
export function QuestionPart({ call, answer }: QuestionPartProps) {
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
