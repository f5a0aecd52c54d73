import type { Metadata } from 'next';
import { MessagesScreen } from '#components/library/messages-screen';
import { messagesStrings } from '#components/library/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: messagesStrings.title });

/** What visitors sent by forms. */
export default async function MessagesPage() {
  await requirePage('content:read');
  return <MessagesScreen />;
}
