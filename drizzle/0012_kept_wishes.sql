CREATE TABLE `kept_wishes` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`quote` text NOT NULL,
	`message_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`let_go_at` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `kept_wishes_session` ON `kept_wishes` (`session_id`,`id`);