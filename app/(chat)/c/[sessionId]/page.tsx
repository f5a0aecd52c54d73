import { headers } from 'next/headers';
import { preload } from 'react-dom';
import { paths } from '#components/api/paths';
import { NEWEST_PAGE } from '#components/chat/session/chat-transcript';
import { requirePage } from '#server/http/page-access';

interface PageProps {
  readonly params: Promise<{ readonly sessionId: string }>;
}

/** A conversation; see the layout. Opened at its own address, its messages are on their way before the scripts are. */
export default async function ConversationPage({ params }: PageProps) {
  await requirePage('chat');
  const { sessionId } = await params;
  const isOpened = (await headers()).get('sec-fetch-dest') === 'document';
  // As `fetch` asks for them: a request with other credentials would be another one.
  if (isOpened) preload(paths.messages(sessionId, NEWEST_PAGE), { as: 'fetch', crossOrigin: 'anonymous' });
  return null;
}
