import { useChat } from '@ai-sdk/react';
import { getToolName, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ThroughlineChatTransport } from '#examples/use-chat/throughline-chat-transport';

/*
 * The page of another program: `useChat` as the AI SDK ships it and, with `?transport`, our example of a transport. The
 * address has the session's id.
 */

const transport = location.search === '?transport' ? new ThroughlineChatTransport() : undefined;

type Part = UIMessage['parts'][number];

function ShownPart({
  part,
  decide,
}: {
  readonly part: Part;
  readonly decide: (id: string, approved: boolean) => void;
}) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'file') return <img src={part.url} alt={part.filename} />;
  if (part.type.startsWith('data-')) return <output>{part.type}</output>;
  if (!isToolUIPart(part)) return null;
  return (
    <div data-tool={getToolName(part)} data-state={part.state}>
      {part.state === 'approval-requested' && (
        <>
          <button onClick={() => decide(part.approval.id, true)}>Approve</button>
          <button onClick={() => decide(part.approval.id, false)}>Deny</button>
        </>
      )}
    </div>
  );
}

function OtherApp({ id, stored }: { readonly id: string; readonly stored: UIMessage[] }) {
  const [data, setData] = useState<readonly string[]>([]);
  const { messages, status, error, sendMessage, regenerate, stop, addToolApprovalResponse } = useChat({
    id,
    messages: stored,
    resume: true,
    ...(transport && { transport }),
    onData: ({ type }) => setData((types) => (types.includes(type) ? types : [...types, type])),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const text = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const send = () => {
    const chosen = files.current?.files;
    void sendMessage({ text: text.current?.value ?? '', ...(chosen?.length && { files: chosen }) });
  };
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map((part, index) => (
            <ShownPart
              key={index}
              part={part}
              decide={(to, approved) => void addToolApprovalResponse({ id: to, approved })}
            />
          ))}
        </article>
      ))}
      <p role="alert">{error?.message}</p>
      <input aria-label="Message" ref={text} />
      <input aria-label="File" type="file" ref={files} />
      <button onClick={send}>Send</button>
      <button onClick={() => void regenerate()}>Again</button>
      <button onClick={() => void (transport ? transport.stopTurn(id) : stop())}>Stop</button>
      <p aria-label="Data">{data.join(' ')}</p>
    </main>
  );
}

const id = location.hash.slice(1);
const response = await fetch(`/api/sessions/${id}/messages?format=ui`);
const { items } = (await response.json()) as { items: UIMessage[] };
createRoot(document.body.appendChild(document.createElement('div'))).render(<OtherApp id={id} stored={items} />);
