import { requirePage } from '#server/http/page-access';

/** Address of a conversation; the layout renders it. */
export default async function ConversationPage() {
  await requirePage('chat');
  return null;
}
