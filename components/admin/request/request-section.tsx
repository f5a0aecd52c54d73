import { Check, Copy } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { toast } from 'sonner';
import { RequestList } from '#components/admin/request/request-list';
import { Section } from '#components/admin/section';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { SearchField } from '#components/ui/search-field';
import { searchRequest } from '#lib/admin/request-search';
import type { Report } from '#lib/admin/use-session-report';
import { api, paths } from '#lib/api/api-client';
import { messageOf } from '#lib/ui/message-of';
import { adminStrings } from '#lib/strings/admin';
import type { NextRequest } from '#server/core/context-report';

const say = adminStrings.request;

interface RequestSectionProps {
  readonly sessionId: string;
  readonly request: Report<NextRequest>;
  readonly onRetry: () => void;
}

/** Exactly what the next step would send, piece by piece, to read and to search. */
export function RequestSection({ sessionId, request, onRetry }: RequestSectionProps) {
  const { data, error } = request;
  return (
    <Section title={say.title} intro={say.intro} controls={data && <CopyButton sessionId={sessionId} />}>
      {error !== undefined && (
        <Notice title={say.failed} action={{ label: adminStrings.session.retry, run: onRetry }} />
      )}
      {data === undefined && error === undefined && (
        <output className="flex h-64 items-center justify-center text-sm text-ink-3">{say.loading}</output>
      )}
      {data && <Pieces request={data} />}
    </Section>
  );
}

function Pieces({ request }: { readonly request: NextRequest }) {
  const [text, setText] = useState('');
  const query = useDeferredValue(text.trim());
  const matches = useMemo(() => searchRequest(request, query), [request, query]);
  const all = request.messages.length + 2;
  const found = matches.messages.length + Number(matches.instructions) + Number(matches.tools);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="text-sm">
          <strong className="font-serif text-lg font-medium tabular-nums">{say.total(request.tokens)}</strong>{' '}
          <span className="text-ink-2">{say.for(request.modelId)}</span>
        </p>
        <div className="flex items-center gap-3 max-sm:w-full">
          <output className="text-xs text-ink-2 tabular-nums">{query === '' ? '' : say.matches(found, all)}</output>
          <SearchField label={say.search} value={text} onChange={setText} className="max-sm:flex-1 sm:w-64" />
        </div>
      </div>
      {found === 0 ? <Notice title={say.noMatch} /> : <RequestList request={request} matches={matches} query={query} />}
    </>
  );
}

function CopyButton({ sessionId }: { readonly sessionId: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      const messages = await api.get<unknown>(paths.contextMessages(sessionId));
      await navigator.clipboard.writeText(JSON.stringify(messages, null, 2));
      setIsCopied(true);
      toast(say.copied);
    } catch (error) {
      toast.error(say.copyFailed(messageOf(error)));
    }
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <Button onClick={() => void copy()}>
      <Icon aria-hidden className="size-3.5" />
      {say.copy}
    </Button>
  );
}
