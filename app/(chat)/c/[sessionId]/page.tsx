/** A conversation; see the layout. */
export default function ConversationPage() {
  return null;
}
