/** A user message as the chat sends it. */
export const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
