ALTER TABLE `audit_entries` ADD `actor_message` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `target_message` text;