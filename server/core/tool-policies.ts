/** Whether a tool's calls run by themselves, only if the user agrees, or not at all. */
export const toolPolicyNames = ['always', 'ask', 'off'] as const;
export type ToolPolicy = (typeof toolPolicyNames)[number];
