/** The empty desk; see the layout. */
export default function NewChatPage() {
  return null;
}
