CREATE TABLE `compactions` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`round` integer NOT NULL,
	`strategy` text NOT NULL,
	`trigger` text NOT NULL,
	`status` text NOT NULL,
	`tokens_before` integer NOT NULL,
	`tokens_after` integer NOT NULL,
	`messages_compacted` integer DEFAULT 0 NOT NULL,
	`compacted_message_ids` text DEFAULT '[]' NOT NULL,
	`pruned_part_ids` text DEFAULT '[]' NOT NULL,
	`first_kept_message_id` text,
	`summary_message_id` text,
	`model_id` text,
	`duration_ms` integer DEFAULT 0 NOT NULL,
	`usage` text,
	`error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`summary_message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `compactions_session_created` ON `compactions` (`session_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `entries` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`slug` text NOT NULL,
	`published_slug` text,
	`title` text NOT NULL,
	`revision` integer NOT NULL,
	`draft` text NOT NULL,
	`published` text,
	`published_at` integer,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `entries_type_slug` ON `entries` (`type`,`slug`) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `entries_type_published_slug` ON `entries` (`type`,`published_slug`) WHERE deleted_at is null and published_slug is not null;--> statement-breakpoint
CREATE INDEX `entries_type_updated` ON `entries` (`type`,`updated_at`);--> statement-breakpoint
CREATE TABLE `message_parts` (
	`id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`session_id` text NOT NULL,
	`order` integer NOT NULL,
	`type` text NOT NULL,
	`state` text NOT NULL,
	`content` text NOT NULL,
	`tokens` integer,
	`original_tokens` integer,
	`compacted_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `message_parts_message_order` ON `message_parts` (`message_id`,`order`);--> statement-breakpoint
CREATE INDEX `message_parts_session_type` ON `message_parts` (`session_id`,`type`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`is_summary` integer DEFAULT false NOT NULL,
	`parent_id` text,
	`turn_id` text,
	`model_id` text,
	`finish_reason` text,
	`error` text,
	`usage` text,
	`content` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_session_seq` ON `messages` (`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `messages_status` ON `messages` (`status`);--> statement-breakpoint
CREATE INDEX `messages_turn` ON `messages` (`turn_id`);--> statement-breakpoint
CREATE TABLE `queued_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`parts` text NOT NULL,
	`model_id` text,
	`client_request_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `queued_messages_session` ON `queued_messages` (`session_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `queued_messages_client_request` ON `queued_messages` (`session_id`,`client_request_id`);--> statement-breakpoint
CREATE TABLE `revisions` (
	`id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`target_type` text NOT NULL,
	`target_id` text NOT NULL,
	`slug` text,
	`title` text NOT NULL,
	`revision` integer NOT NULL,
	`action` text NOT NULL,
	`operations` text NOT NULL,
	`inverse` text NOT NULL,
	`before` text,
	`after` text,
	`summary` text NOT NULL,
	`actor` text NOT NULL,
	`session_id` text,
	`turn_id` text,
	`tool_call_id` text,
	`undone_by` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `revisions_seq_unique` ON `revisions` (`seq`);--> statement-breakpoint
CREATE INDEX `revisions_target` ON `revisions` (`target_id`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_session` ON `revisions` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`model_id` text,
	`owner_id` text NOT NULL,
	`instructions` text,
	`working_context` text,
	`compaction_count` integer DEFAULT 0 NOT NULL,
	`last_compaction_at` integer,
	`currently_compacting` integer DEFAULT false NOT NULL,
	`compacting_since` integer,
	`compaction_lease_owner` text,
	`compaction_lease_expires_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_owner_updated` ON `sessions` (`owner_id`,`updated_at`);--> statement-breakpoint
CREATE TABLE `site_documents` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `turns` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`user_message_id` text NOT NULL,
	`status` text NOT NULL,
	`lease_owner` text NOT NULL,
	`lease_expires_at` integer NOT NULL,
	`client_request_id` text,
	`error` text,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `turns_one_running` ON `turns` (`session_id`) WHERE status = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX `turns_client_request` ON `turns` (`session_id`,`client_request_id`);--> statement-breakpoint
CREATE INDEX `turns_status_lease` ON `turns` (`status`,`lease_expires_at`);