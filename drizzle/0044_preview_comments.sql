CREATE TABLE `preview_comments` (
	`id` text PRIMARY KEY NOT NULL,
	`entry_id` text NOT NULL,
	`link_id` text NOT NULL,
	`section_id` text,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`resolved_at` integer,
	FOREIGN KEY (`entry_id`) REFERENCES `entries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `preview_comments_entry` ON `preview_comments` (`entry_id`);--> statement-breakpoint
CREATE INDEX `preview_comments_link` ON `preview_comments` (`link_id`);--> statement-breakpoint
CREATE INDEX `preview_comments_created` ON `preview_comments` (`created_at`);