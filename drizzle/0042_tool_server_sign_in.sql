ALTER TABLE `mcp_servers` ADD `credentials` text;--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `connected_at` integer;--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `pending_sign_in` text;