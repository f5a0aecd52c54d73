import { requirePage } from '#server/http/page-access';

/** Address of the workspace without a conversation; the layout renders it. */
export default async function NewChatPage() {
  await requirePage('chat');
  return null;
}
