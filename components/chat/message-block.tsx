import { CompactionLine } from '#components/context/compaction-line';
import { ApprovalPart } from '#components/chat/parts/approval-part';
import { FilePart } from '#components/chat/parts/file-part';
import { QuestionPart } from '#components/chat/parts/question-part';
import { ReasoningPart } from '#components/chat/parts/reasoning-part';
import { TextPart } from '#components/chat/parts/text-part';
import { ToolGroup } from '#components/chat/parts/tool-group';
import { UserNote } from '#components/chat/user-note';
import type { MessageBlock } from '#lib/chat/message-blocks';
import { strings } from '#lib/strings';

interface MessageBlockViewProps {
  readonly block: MessageBlock;
  readonly answer: string | null;
  readonly isLive: boolean;
}

/** One block of an answer: picks the component for its kind. */
export function MessageBlockView({ block, answer, isLive }: MessageBlockViewProps) {
  switch (block.kind) {
    case 'text':
      return <TextPart text={block.text} isOpen={isLive && block.isOpen} />;
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
        <article aria-label={strings.transcript.you} className="flex flex-col gap-4">
          <UserNote {...block.words} />
        </article>
      );
  }
}
