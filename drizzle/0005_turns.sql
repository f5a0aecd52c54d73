CREATE TABLE `accepted_requests` (
	`session_id` text NOT NULL,
	`client_request_id` text NOT NULL,
	`accepted_as` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `client_request_id`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `approvals` (
	`part_id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`turn_id` text NOT NULL,
	`tool_call_id` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`decided_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`part_id`) REFERENCES `message_parts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`turn_id`) REFERENCES `turns`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `approvals_session_status` ON `approvals` (`session_id`,`status`);--> statement-breakpoint
CREATE INDEX `approvals_turn` ON `approvals` (`turn_id`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`name` text NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `events_session` ON `events` (`session_id`,`id`);--> statement-breakpoint
DROP INDEX `queued_messages_client_request`;--> statement-breakpoint
DROP INDEX `queued_messages_session`;--> statement-breakpoint
ALTER TABLE `queued_messages` ADD `rank` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `queued_messages` ADD `is_released` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `queued_messages_session` ON `queued_messages` (`session_id`,`rank`,`id`);--> statement-breakpoint
ALTER TABLE `queued_messages` DROP COLUMN `client_request_id`;--> statement-breakpoint
DROP INDEX `turns_client_request`;--> statement-breakpoint
ALTER TABLE `turns` ADD `model_id` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `cancel_requested_at` integer;--> statement-breakpoint
ALTER TABLE `turns` DROP COLUMN `client_request_id`;--> statement-breakpoint
ALTER TABLE `messages` ADD `metadata` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `queue_held` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_compacting` ON `sessions` (`currently_compacting`,`compaction_lease_expires_at`);